import type { SettingTable } from '../../base/setting-table.ts'

/**
 * The section `code` of the settings, for every project that this machine indexes and searches.
 * Settings of a single project are in its own file; the settings here, like their variables,
 * take precedence over it.
 */
export const CODE_SETTINGS = {
  folders: {
    type: 'folders',
    text: 'Folders that clients over HTTP, SSE and WebSocket may read; by default the project it was started in. Set it for a gateway that serves a team.',
  },
  autoIndex: {
    type: 'boolean',
    text: 'Whether a Git repository is indexed by its first search; by default everywhere but in `portolan code mcp`. Turn it off to index only with `portolan code index`.',
  },
  projectsDir: {
    type: 'string',
    variable: 'PORTOLAN_CODE_PROJECTS_DIR',
    text: 'One more folder that clients over the network may read: the one that holds your projects.',
  },
  includePatterns: {
    type: 'list',
    variable: 'PORTOLAN_CODE_INDEXING_INCLUDE_PATTERNS',
    text: "Files of a project that are indexed, as patterns; by default all. Overrides `indexing.includePatterns` of the project's file.",
  },
  excludePatterns: {
    type: 'list',
    variable: 'PORTOLAN_CODE_INDEXING_EXCLUDE_PATTERNS',
    text: "Files of a project that are not indexed, as patterns. Overrides `indexing.excludePatterns` of the project's file.",
  },
  chunkSize: {
    type: 'integer',
    min: 1,
    variable: 'PORTOLAN_CODE_INDEXING_CHUNK_SIZE',
    text: "Characters of a chunk of text that is cut by length. Lower it for embedding models that read little. Overrides `indexing.chunkSize` of the project's file.",
  },
  chunkOverlap: {
    type: 'integer',
    min: 0,
    variable: 'PORTOLAN_CODE_INDEXING_CHUNK_OVERLAP',
    text: "Characters that two such chunks share, so that no sentence is cut off from its context. Overrides `indexing.chunkOverlap` of the project's file.",
  },
  resultLimit: {
    type: 'integer',
    min: 1,
    variable: 'PORTOLAN_CODE_SEARCH_RESULT_LIMIT',
    text: "Results of a search without a limit; by default 10. Lower it for agents with little context. Overrides `search.resultLimit` of the project's file.",
  },
  minScore: {
    type: 'number',
    min: 0,
    max: 1,
    variable: 'PORTOLAN_CODE_SEARCH_MIN_SCORE',
    text: "Results below this score are left out; by default 0. Raise it if agents follow weak results. Overrides `search.minScore` of the project's file.",
  },
  controllerEnabled: {
    type: 'boolean',
    variable: 'PORTOLAN_CODE_CONTROLLER_ENABLED',
    text: 'Whether a language model rewrites queries before the search; queries are sent to it. Its key is in PORTOLAN_CODE_CONTROLLER_API_KEY.',
  },
  controllerProvider: {
    type: 'string',
    variable: 'PORTOLAN_CODE_CONTROLLER_PROVIDER',
    text: 'Provider of that model: `ollama` to keep queries on your machines, `openai` or `openrouter`.',
  },
  controllerModel: {
    type: 'string',
    variable: 'PORTOLAN_CODE_CONTROLLER_MODEL',
    text: 'Name of that model, such as one you run already; by default one that suits the provider.',
  },
  controllerBaseUrl: {
    type: 'url',
    variable: 'PORTOLAN_CODE_CONTROLLER_BASE_URL',
    text: 'Address of that model, if it runs on another machine; by default the usual one of its provider.',
  },
  controllerTimeout: {
    type: 'number',
    min: 0.001,
    variable: 'PORTOLAN_CODE_CONTROLLER_TIMEOUT',
    text: 'Seconds that the model may take, by default 5; after that the query is used as it is. Raise it for a model on a slow machine.',
  },
} as const satisfies SettingTable
