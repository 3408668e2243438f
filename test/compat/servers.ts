import type { JsonObject } from '../../src/base/json/json.ts'

/** A published server, pinned, and how to use it without an account or the network. */
export interface Published {
  readonly name: string
  readonly version: string
  readonly args?: readonly string[]
  /** What it needs to start: a key need not be a good one. */
  readonly env?: Readonly<Record<string, string>>
  /** Why it cannot list its tools here, where it cannot. */
  readonly unlisted?: string
  /** What it needs in a sandbox beside the default one or its preset. */
  readonly sandbox?: JsonObject
  /** Calls in a row that build on each other; the last must find what the first did. */
  readonly story?: readonly Step[]
}

export interface Step {
  readonly tool: string
  readonly args: JsonObject
  /** What the answer contains. */
  readonly says?: RegExp
}

const key = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, 'not-a-real-key']))

/** `FOLDER`, `PAGE` and `CHROMIUM` stand for a folder, a web page and a browser of the test. */
export const FOLDER = '{FOLDER}'
export const PAGE = '{PAGE}'
export const CHROMIUM = '{CHROMIUM}'

const OFFICIAL: readonly Published[] = [
  {
    name: '@modelcontextprotocol/server-everything',
    version: '2026.8.31',
    story: [
      { tool: 'echo', args: { message: 'one' }, says: /one/ },
      { tool: 'get-sum', args: { a: 2, b: 3 }, says: /5/ },
    ],
  },
  {
    name: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    args: [FOLDER],
    story: [
      { tool: 'write_file', args: { path: `${FOLDER}/note.txt`, content: 'kept' } },
      { tool: 'read_text_file', args: { path: `${FOLDER}/note.txt` }, says: /kept/ },
    ],
  },
  {
    name: '@modelcontextprotocol/server-memory',
    version: '2026.8.31',
    env: { MEMORY_FILE_PATH: `${FOLDER}/memory.json` },
    story: [
      {
        tool: 'create_entities',
        args: { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] },
      },
      { tool: 'read_graph', args: {}, says: /Ada/ },
    ],
  },
  {
    name: '@modelcontextprotocol/server-sequential-thinking',
    version: '2026.8.31',
    story: [1, 2].map((number) => ({
      tool: 'sequentialthinking',
      args: {
        thought: 'on',
        nextThoughtNeeded: true,
        thoughtNumber: number,
        totalThoughts: 2,
      },
      says: new RegExp(`"thoughtHistoryLength": ?${number}`),
    })),
  },
  {
    name: '@modelcontextprotocol/server-github',
    version: '2025.4.8',
    env: key('GITHUB_PERSONAL_ACCESS_TOKEN'),
  },
  {
    name: '@modelcontextprotocol/server-gitlab',
    version: '2025.4.25',
    env: key('GITLAB_PERSONAL_ACCESS_TOKEN'),
  },
  {
    name: '@modelcontextprotocol/server-google-maps',
    version: '0.6.2',
    env: key('GOOGLE_MAPS_API_KEY'),
  },
  {
    name: '@modelcontextprotocol/server-slack',
    version: '2025.4.25',
    env: key('SLACK_BOT_TOKEN', 'SLACK_TEAM_ID'),
  },
]

/** Those that are development dependencies anyway: the part of the suite that every test run has. */
export const INSTALLED: readonly Published[] = OFFICIAL

const BROWSERS: readonly Published[] = [
  {
    name: '@playwright/mcp',
    version: '0.0.83',
    args: ['--headless', '--no-sandbox', '--executable-path', CHROMIUM],
    story: [
      { tool: 'browser_navigate', args: { url: PAGE } },
      { tool: 'browser_snapshot', args: {}, says: /A page for tests/ },
    ],
  },
  {
    name: 'chrome-devtools-mcp',
    version: '1.11.0',
    args: ['--headless', '--executablePath', CHROMIUM, '--chromeArg=--no-sandbox'],
    story: [
      { tool: 'navigate_page', args: { pageId: 1, type: 'url', url: PAGE } },
      { tool: 'take_snapshot', args: { pageId: 1 }, says: /A page for tests/ },
    ],
  },
]

const OTHERS: readonly Published[] = [
  {
    name: '@modelcontextprotocol/server-brave-search',
    version: '0.6.2',
    env: key('BRAVE_API_KEY'),
  },
  { name: '@modelcontextprotocol/server-everart', version: '0.6.2', env: key('EVERART_API_KEY') },
  {
    name: '@modelcontextprotocol/server-postgres',
    version: '0.6.2',
    args: ['postgres://127.0.0.1:1/x'],
  },
  {
    name: '@modelcontextprotocol/server-redis',
    version: '2025.4.25',
    unlisted: 'needs a Redis server',
    args: ['redis://127.0.0.1:1'],
  },
  { name: '@upstash/context7-mcp', version: '4.1.1' },
  { name: 'mongodb-mcp-server', version: '3.0.4' },
  { name: '@notionhq/notion-mcp-server', version: '2.5.2', env: key('NOTION_TOKEN') },
  { name: 'firecrawl-mcp', version: '3.26.0', env: key('FIRECRAWL_API_KEY') },
  { name: '@sentry/mcp-server', version: '0.39.0', env: key('SENTRY_ACCESS_TOKEN') },
  { name: 'figma-developer-mcp', version: '0.13.2', args: ['--stdio'], env: key('FIGMA_API_KEY') },
  { name: 'tavily-mcp', version: '0.2.22', env: key('TAVILY_API_KEY') },
  { name: 'exa-mcp-server', version: '3.4.1', env: key('EXA_API_KEY') },
  { name: '@eslint/mcp', version: '0.3.13' },
  { name: '@brave/brave-search-mcp-server', version: '2.1.4', env: key('BRAVE_API_KEY') },
  { name: '@executeautomation/playwright-mcp-server', version: '1.0.12' },
  { name: 'shadcn', version: '4.23.0', args: ['mcp'] },
  { name: '@antv/mcp-server-chart', version: '0.9.10' },
  {
    name: '@apify/actors-mcp-server',
    version: '0.16.0',
    unlisted: 'needs Node 22',
    env: key('APIFY_TOKEN'),
  },
  { name: '@benborla29/mcp-server-mysql', version: '2.0.9', unlisted: 'exits without a word' },
  { name: '@browsermcp/mcp', version: '0.1.3' },
  { name: '@bytebase/dbhub', version: '1.4.0', unlisted: 'needs Node 22', args: ['--demo'] },
  { name: '@circleci/mcp-server-circleci', version: '0.20.0', env: key('CIRCLECI_TOKEN') },
  { name: '@cyanheads/git-mcp-server', version: '2.15.3' },
  {
    name: '@elastic/mcp-server-elasticsearch',
    version: '0.3.1',
    env: { ES_URL: 'http://127.0.0.1:1', ...key('ES_API_KEY') },
  },
  {
    name: '@heroku/mcp-server',
    version: '1.2.8',
    unlisted: 'exits without a word',
    env: key('HEROKU_API_KEY'),
  },
  { name: '@hubspot/mcp-server', version: '0.4.0', env: key('PRIVATE_APP_ACCESS_TOKEN') },
  { name: '@kazuph/mcp-fetch', version: '1.6.3' },
  { name: '@launchdarkly/mcp-server', version: '0.6.2', args: ['start', '--api-key', 'none'] },
  {
    name: '@mapbox/mcp-server',
    version: '0.14.0',
    env: { MAPBOX_ACCESS_TOKEN: 'pk.eyJ1IjoieCJ9.x' },
  },
  { name: '@microsoft/clarity-mcp-server', version: '2.0.1' },
  { name: '@perplexity-ai/mcp-server', version: '1.2.1', env: key('PERPLEXITY_API_KEY') },
  { name: '@pinecone-database/mcp', version: '0.3.0', env: key('PINECONE_API_KEY') },
  { name: '@postman/postman-mcp-server', version: '2.13.0', env: key('POSTMAN_API_KEY') },
  { name: '@shopify/dev-mcp', version: '1.16.0' },
  { name: '@tacticlaunch/mcp-linear', version: '1.4.3', env: key('LINEAR_API_TOKEN') },
  { name: '@zereight/mcp-gitlab', version: '2.1.64', env: key('GITLAB_PERSONAL_ACCESS_TOKEN') },
  { name: 'airtable-mcp-server', version: '1.14.0', env: key('AIRTABLE_API_KEY') },
  {
    name: '@stripe/mcp',
    version: '0.3.3',
    unlisted: 'needs the network to list',
    args: ['--api-key=rk_test_none'],
  },
  {
    name: '@supabase/mcp-server-supabase',
    version: '0.13.0',
    unlisted: 'needs the network to list',
    env: key('SUPABASE_ACCESS_TOKEN'),
  },
  { name: 'mcp-searxng', version: '2.4.0', env: { SEARXNG_URL: 'http://127.0.0.1:1' } },
]

export const SERVERS: readonly Published[] = [...OFFICIAL, ...BROWSERS, ...OTHERS]
