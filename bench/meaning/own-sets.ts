// Our own sets: queries over tools of real servers, which are started for this.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../src/base/json/json.ts'
import type { Tool } from '../../src/gateway/upstream.ts'
import {
  type StartOptions,
  listToolsOf,
  readSpec,
  serverTools,
  specTools,
  toolOf,
} from '../support/real-tools.ts'
import { type ToolQuery, type ToolSet, nameOf } from './measure-tools.ts'

const SIZE = 500
const DATA = new URL('../data/', import.meta.url)

/** 125 queries over 500 tools: official servers, filled up with operations of GitHub's API. */
export async function ownSet(): Promise<ToolSet> {
  const queries = readQueries('tool-queries.json')
  const wanted = new Set(queries.flatMap(({ tools }) => tools))
  const own = await serverTools()
  const operations = specTools(readSpec(), 'github-api')
  const needed = operations.filter((tool) => wanted.has(nameOf(tool)))
  const others = operations.filter((tool) => !wanted.has(nameOf(tool)))
  const room = SIZE - own.length - needed.length
  const step = others.length / room
  const chosen = new Set(Array.from({ length: room }, (_, i) => Math.floor(i * step)))
  return checked([...own, ...needed, ...others.filter((_, at) => chosen.has(at))], queries)
}

/** How each package of an npm folder is started, only to list its tools. */
const PACKAGES: Readonly<Record<string, readonly [name: string, options: StartOptions]>> = {
  playwright: ['@playwright/mcp', {}],
  devtools: ['chrome-devtools-mcp', {}],
  mongodb: ['mongodb-mcp-server', { env: { MDB_MCP_TELEMETRY: 'disabled' } }],
  sentry: ['@sentry/mcp-server', { args: ['--access-token=none'] }],
  notion: ['@notionhq/notion-mcp-server', { env: { NOTION_TOKEN: 'none' } }],
  tavily: ['tavily-mcp', { env: { TAVILY_API_KEY: 'none' } }],
  firecrawl: ['firecrawl-mcp', { env: { FIRECRAWL_API_KEY: 'none' } }],
  context7: ['@upstash/context7-mcp', {}],
  eslint: ['@eslint/mcp', {}],
  shadcn: ['shadcn', { args: ['mcp'] }],
  brave: [
    '@brave/brave-search-mcp-server',
    { args: ['--transport', 'stdio'], env: { BRAVE_API_KEY: 'none' } },
  ],
}

/**
 * Plain questions over 19 real servers, eleven of them from a folder that npm filled. The first 25,
 * and 12 that no tool answers, came with the target. The questions of the development set were
 * inspected one by one; of the set kept apart only the totals, so that it shows the effect of a
 * change on unseen questions. Half of each of the last two sets are requests that no tool answers:
 * one set is for tuning, the other for reporting.
 */
export async function plainQuestions(
  folder: string,
  tell: (line: string) => void,
): Promise<(readonly [name: string, set: ToolSet])[]> {
  const installed: Tool[] = []
  for (const [server, [name, options]] of Object.entries(PACKAGES)) {
    const at = join(folder, 'node_modules', name)
    const { bin }: { bin: unknown } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
    const file = isObject(bin) ? Object.values(bin)[0] : bin
    const definitions = await listToolsOf(join(at, String(file)), options)
    tell(`${server}: ${definitions.length} tools`)
    installed.push(...definitions.map((definition) => toolOf(server, definition)))
  }
  const tools = [...(await serverTools()), ...installed]
  return [
    ['plain questions', checked(tools, readQueries('plain-questions.json'))],
    ['plain, development', checked(tools, readQueries('plain-questions-development.json'))],
    ['plain, kept apart', checked(tools, readQueries('plain-questions-apart.json'))],
    ['nothing fits, development', checked(tools, readQueries('nothing-fits-development.json'))],
    ['nothing fits, kept apart', checked(tools, readQueries('nothing-fits-apart.json'))],
  ]
}

function readQueries(name: string): ToolQuery[] {
  return JSON.parse(readFileSync(new URL(name, DATA), 'utf8'))
}

function checked(tools: readonly Tool[], queries: readonly ToolQuery[]): ToolSet {
  const known = new Set(tools.map(nameOf))
  const unknown = queries.flatMap((query) => query.tools).filter((name) => !known.has(name))
  if (unknown.length > 0) throw new Error(`No such tools: ${unknown.join(', ')}`)
  return { tools, queries }
}

const LARGE = 4000

/** Returns enough tools to measure latency. */
export function manyTools(tools: readonly Tool[]): Tool[] {
  const more = ['ghec', 'ghes-3.17', 'ghes-3.18'].flatMap((name) => specTools(readSpec(name), name))
  return [...tools, ...more].slice(0, LARGE)
}
