import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { toAuditEntry } from '../../src/telemetry/audit/audit-entry.ts'
import { peakMb, rssMb, startGateway, startHttpServer, toCommand } from '../load/processes.ts'
import { median, round } from '../support/numbers.ts'

const LINES = 1_000_000
const AGENTS = 500
const SERVERS = 20
const DAYS_MS = 29 * 86_400_000
const ROUNDS = 7
const MAX_COUNTING_S = 120

/** What each page asks for first. */
const PAGES: Readonly<Record<string, string>> = {
  overview: '/overview?range=24h',
  'overview, 30 days': '/overview?range=30d',
  costs: '/costs?range=30d',
  agents: '/agents',
  'one cell of the agents': '/agents/agent-7/server-07',
  servers: '/servers',
  audit: '/audit?limit=100',
  'audit of an agent': '/audit?limit=100&agent=agent-7',
  'audit, denied at a server': '/audit?limit=100&server=server-03&decision=DENY',
  'audit, a text that is nowhere': '/audit?limit=100&text=is-in-no-entry',
}

export interface PageFigures {
  readonly worstPageMs: number
  readonly worstPage: string
  readonly searchMs: number
  readonly countingS: number
  readonly idleMb: number
  readonly peakMb: number
  readonly firstPageKb: number
  readonly load: number
}

/** Asks a built gateway for its pages, with a large record and many agents. */
export async function measurePages(): Promise<PageFigures> {
  const upstream = await startHttpServer('--tools', '20')
  const names = Array.from({ length: SERVERS }, (_, n) => `server-${String(n).padStart(2, '0')}`)
  const gateway = await startGateway(
    toCommand('node dist/cli/main.js'),
    Object.fromEntries(names.map((name) => [name, { url: `${upstream.url}?as=${name}` }])),
    [],
    {
      env: { PORTOLAN_AUDIT_MAX_BYTES: String(2 ** 31) },
      prepare(folder) {
        writeRules(join(folder, '.mcp-gateway-rules.json'), names)
        mkdirSync(join(folder, 'home'))
        writeRecord(join(folder, 'home', 'audit.jsonl'), names)
      },
    },
  )
  const api = new URL('/api/dashboard', gateway.url).href
  const ask = async (path: string) => {
    const begun = performance.now()
    const answer = await fetch(api + path)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`)
    return { ms: performance.now() - begun, text }
  }
  await listTools(gateway.url)
  const idleMb = round(rssMb(gateway.pid), 0)
  const begun = performance.now()
  while (!(await ask('/overview?range=30d')).text.includes('"share":1,')) {
    if (performance.now() - begun > MAX_COUNTING_S * 1_000) throw new Error('It is not counted')
  }
  const countingS = round((performance.now() - begun) / 1_000, 1)
  console.log(`counting ${LINES} lines once: ${countingS} s, in a thread`)
  const figures: [string, number][] = []
  for (const [page, path] of Object.entries(PAGES)) {
    const times: number[] = []
    let bytes = 0
    for (let n = 0; n < ROUNDS; n++) {
      const { ms, text } = await ask(path)
      times.push(ms)
      bytes = text.length
    }
    figures.push([page, median(times)])
    const worst = round(Math.max(...times), 0)
    console.log(
      `${page}: ${round(median(times), 0)} ms (at most ${worst}), ${round(bytes / 1_000, 0)} KB`,
    )
  }
  const search = figures.pop() ?? ['', 0]
  const [worstPage, worstMs] = figures.toSorted((one, other) => other[1] - one[1])[0] ?? ['', 0]
  const result = {
    worstPageMs: round(worstMs, 0),
    worstPage,
    searchMs: round(search[1], 0),
    countingS,
    idleMb,
    peakMb: round(peakMb(gateway.pid), 0),
    firstPageKb: firstPageKb(),
    load: round(loadavg()[0] ?? 0, 1),
  }
  await gateway.stop()
  await upstream.stop()
  gateway.discard()
  console.log(
    `slowest page: ${result.worstPage}, ${result.worstPageMs} ms; memory: ${idleMb} MB before, at most ${result.peakMb} MB; first page: ${result.firstPageKb} KB of script, gzipped; load ${result.load}`,
  )
  return result
}

/** Lists every tool of every server, as a client does. */
async function listTools(url: string): Promise<void> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  }
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-agent-id': 'dashboard',
  }
  const post = async (body: object) =>
    fetch(`${url}?surface=direct`, { method: 'POST', headers, body: JSON.stringify(body) })
  const hello = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  await hello.text()
  headers['mcp-session-id'] = hello.headers.get('mcp-session-id') ?? ''
  headers['mcp-protocol-version'] = params.protocolVersion
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const listed = await (await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).text()
  const tools = listed.match(/server-\d\d__/g)?.length ?? 0
  if (tools < SERVERS * 20) throw new Error(`Only ${tools} tools are listed`)
}

function writeRules(path: string, servers: readonly string[]): void {
  const agents = Array.from({ length: AGENTS }, (_, n) => [
    `agent-${n}`,
    {
      allow: { servers: servers.filter((_server, at) => at % 5 !== n % 5) },
      deny: { tools: { [servers[n % SERVERS] ?? '']: ['tool_1', 'tool_2*'] } },
    },
  ])
  const all = { ...Object.fromEntries(agents), dashboard: { allow: { servers: ['*'] } } }
  writeFileSync(path, JSON.stringify({ agents: all }))
}

/** Writes in pieces: the whole record is some hundred megabytes. */
function writeRecord(path: string, servers: readonly string[]): void {
  const file = openSync(path, 'w', 0o600)
  const start = Date.now() - DAYS_MS
  const step = DAYS_MS / LINES
  for (let n = 0; n < LINES; n += 10_000)
    writeSync(
      file,
      Array.from({ length: 10_000 }, (_, at) =>
        entry(n + at, start + (n + at) * step, servers),
      ).join(''),
    )
  closeSync(file)
}

function entry(n: number, startedAt: number, servers: readonly string[]): string {
  const isDenied = n % 97 === 0
  return toAuditEntry({
    id: `c${n}`,
    startedAt,
    operation: 'tools/call',
    agent: `agent-${(n * 7919) % AGENTS}`,
    server: servers[(n * 31) % SERVERS] ?? '',
    tool: `tool_${n % 20}`,
    decision: isDenied ? 'DENY' : 'ALLOW',
    outcome: isDenied ? 'TOOL_NOT_ALLOWED' : 'ok',
    rule: `agents.agent-${(n * 7919) % AGENTS}.allow.servers[0]`,
    isError: n % 53 === 0,
    durationMs: 1 + (n % 900) / 10,
    tokenCount: 50 + (n % 400),
  })
}

/** Adds up the scripts that the overview loads: its own, and those that it imports. */
function firstPageKb(): number {
  const folder = resolve(import.meta.dirname, '../../dist/web/assets')
  const page = readFileSync(resolve(folder, '../index.html'), 'utf8')
  const files = readdirSync(folder)
  const seen = new Set<string>()
  const read = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    const text = readFileSync(join(folder, name), 'utf8')
    for (const [, found = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g))
      read(found)
  }
  for (const [, found = ''] of page.matchAll(/assets\/([\w.-]+\.js)/g)) read(found)
  for (const name of files) if (/^overview-[\w-]+\.js$/.test(name)) read(name)
  const bytes = [...seen].map((name) => gzipSync(readFileSync(join(folder, name))).length)
  return round(bytes.reduce((sum, each) => sum + each, 0) / 1_000, 1)
}
