import type { SettingTable } from '../../base/setting-table.ts'

/**
 * The section `code` of the settings, for every project that this machine indexes and searches.
 * Settings of a single project are in its cocosearch.yaml; the settings here, like their variables,
 * take precedence over it.
 */
export const CODE_SETTINGS = {
  folders: {
    type: 'folders',
    text: 'Folders that clients over HTTP, SSE and WebSocket may read; the project it was started in when absent.',
  },
  autoIndex: {
    type: 'boolean',
    text: 'Whether a project is indexed by its first search; when absent, only where no server is configured at all.',
  },
  projectsDir: {
    type: 'string',
    variable: 'COCOSEARCH_PROJECTS_DIR',
    text: 'A folder of projects; clients over the network may read it too.',
  },
  editor: {
    type: 'string',
    variable: 'COCOSEARCH_EDITOR',
    text: 'Editor that files are opened in from the dashboard; EDITOR or VISUAL when absent.',
  },
  includePatterns: {
    type: 'list',
    variable: 'COCOSEARCH_INDEXING_INCLUDE_PATTERNS',
    text: 'Files of a project that are indexed, as patterns; all when absent. Wins over `indexing.includePatterns` of its cocosearch.yaml.',
  },
  excludePatterns: {
    type: 'list',
    variable: 'COCOSEARCH_INDEXING_EXCLUDE_PATTERNS',
    text: 'Files of a project that are not indexed, as patterns. Wins over `indexing.excludePatterns` of its cocosearch.yaml.',
  },
  chunkSize: {
    type: 'integer',
    min: 1,
    variable: 'COCOSEARCH_INDEXING_CHUNK_SIZE',
    text: 'Characters of a piece of text that is cut by length. Wins over `indexing.chunkSize` of cocosearch.yaml.',
  },
  chunkOverlap: {
    type: 'integer',
    min: 0,
    variable: 'COCOSEARCH_INDEXING_CHUNK_OVERLAP',
    text: 'Characters that two such pieces share. Wins over `indexing.chunkOverlap` of cocosearch.yaml.',
  },
  resultLimit: {
    type: 'integer',
    min: 1,
    variable: 'COCOSEARCH_SEARCH_RESULT_LIMIT',
    text: 'Results of a search that names no limit; 10 when absent. Wins over `search.resultLimit` of cocosearch.yaml.',
  },
  minScore: {
    type: 'number',
    min: 0,
    max: 1,
    variable: 'COCOSEARCH_SEARCH_MIN_SCORE',
    text: 'Results below this score are left out; 0 when absent. Wins over `search.minScore` of cocosearch.yaml.',
  },
  controllerEnabled: {
    type: 'boolean',
    variable: 'COCOSEARCH_CONTROLLER_ENABLED',
    text: 'Whether a language model puts queries into better words before they are searched for; they are sent to it. Its key is in COCOSEARCH_CONTROLLER_API_KEY.',
  },
  controllerProvider: {
    type: 'string',
    variable: 'COCOSEARCH_CONTROLLER_PROVIDER',
    text: 'Who has that model: `ollama`, `openai` or `openrouter`.',
  },
  controllerModel: {
    type: 'string',
    variable: 'COCOSEARCH_CONTROLLER_MODEL',
    text: 'The name of that model; one that suits the provider when absent.',
  },
  controllerBaseUrl: {
    type: 'url',
    variable: 'COCOSEARCH_CONTROLLER_BASE_URL',
    text: 'Where that model is reached; the usual address of its provider when absent.',
  },
  controllerTimeout: {
    type: 'number',
    min: 0.001,
    variable: 'COCOSEARCH_CONTROLLER_TIMEOUT',
    text: 'Seconds that the model may take, 5 when absent; after that the query is searched for as it is.',
  },
  logFile: {
    type: 'string',
    variable: 'COCOSEARCH_LOG_FILE',
    text: 'File for the log of code search that is served by itself, or `true` for the usual one; commands of `portolan code` look at the variable only. In a gateway every search is in the audit record.',
  },
} as const satisfies SettingTable
