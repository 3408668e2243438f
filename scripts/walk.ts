/**
 * Counts which files of `src` run for one `tools/call` of a modern client over HTTP to a stdio
 * server, with the coverage of V8: the second and later calls of a gateway built from source.
 *
 *   node --import ./bench/strip-types/register.mjs scripts/walk.ts [--functions]
 *
 * `--write` puts the list into ARCHITECTURE.md; test/walk.process.test.ts compares the two.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { groupBy } from '../src/base/maps.ts'
import { stdioUpstream } from '../test/support/start.ts'

/** Only what runs in each of so many calls belongs to a call, and not to a timer beside it. */
const CALLS = 8
const KEY = 'io.modelcontextprotocol/'
const ROOT = join(import.meta.dirname, '..')
/** Read before `serve` replaces the arguments. */
const isVerbose = process.argv.includes('--functions')
const isWriting = process.argv.includes('--write')
const ARCHITECTURE = join(ROOT, 'ARCHITECTURE.md')
const BLOCK = /(<!-- walk -->\n\n)[^]*?(\n\n<!-- \/walk -->)/

const folder = await mkdtemp(join(tmpdir(), 'portolan-walk-'))
await writeFile(
  join(folder, '.mcp.json'),
  JSON.stringify({ mcpServers: { echo: stdioUpstream() } }),
)
const url = await serve()
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
// The first calls start the server and load what is loaded on demand.
for (let n = 0; n < 3; n++) await call()
let functions: string[] | undefined
for (let n = 0; n < CALLS; n++) {
  await session.post('Profiler.takePreciseCoverage')
  await call()
  await turn()
  const ran = await functionsRun()
  functions = functions ? functions.filter((one) => ran.has(one)) : [...ran]
}
report(functions ?? [])
await rm(folder, { recursive: true, force: true })
process.exit(0)

/** Starts `portolan serve` in this process; returns the address of its endpoint. */
async function serve(): Promise<string> {
  process.chdir(folder)
  Object.assign(process.env, {
    HOME: folder,
    PORTOLAN_HOME: join(folder, 'data'),
    GATEWAY_MCP_CONFIG: join(folder, '.mcp.json'),
  })
  process.argv.splice(2, Infinity, 'serve', '--port', '0', '--surface', 'direct')
  const write = process.stderr.write.bind(process.stderr)
  const address = new Promise<string>((resolve) => {
    process.stderr.write = (text) => {
      const found = /portolan listening on (\S+)/.exec(String(text))?.[1]
      if (found === undefined) return write(text)
      resolve(found)
      return true
    }
  })
  void import('../src/cli/main.ts')
  return `${await address}/mcp`
}

async function call(): Promise<void> {
  const meta = {
    [`${KEY}protocolVersion`]: '2026-07-28',
    [`${KEY}clientInfo`]: { name: 'walk', version: '1' },
    [`${KEY}clientCapabilities`]: {},
  }
  const params = { name: 'echo', arguments: { text: 'hello' }, _meta: meta }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const answer = await new Promise<string>((resolve, reject) => {
    const agent = new http.Agent()
    const request = http.request(url, { method: 'POST', headers, agent }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve(text))
    })
    request.on('error', reject).end(body)
  })
  if (!answer.includes('"text":"hello"')) throw new Error(`Unexpected answer: ${answer}`)
}

/** Returns the functions that ran since the last time, each as its file, its name and its place. */
async function functionsRun(): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return new Set(
    result.flatMap(({ url: script, functions: all }) => {
      if (!script.startsWith('file:')) return []
      const file = relative(ROOT, fileURLToPath(script))
      if (!file.startsWith('src/')) return []
      return all.flatMap(({ functionName, ranges: [range] }) =>
        range && range.count > 0 && range.startOffset > 0
          ? [`${file}\t${functionName}\t${range.startOffset}`]
          : [],
      )
    }),
  )
}

/** Prints every file, and puts the list into ARCHITECTURE.md if that is asked for. */
function report(ran: readonly string[]): void {
  const byFile = groupBy(ran, (one) => one.split('\t')[0] ?? '')
  const files = [...byFile.keys()].toSorted()
  if (isVerbose)
    for (const file of files)
      console.log(
        file,
        byFile
          .get(file)
          ?.map((one) => one.split('\t')[1] || '(anonymous)')
          .join(' '),
      )
  const others = files.filter((file) => !isLayer(file))
  const list = toList(others)
  console.log(list)
  if (isWriting)
    writeFileSync(ARCHITECTURE, readFileSync(ARCHITECTURE, 'utf8').replace(BLOCK, `$1${list}$2`))
  console.log(
    `RESULT ${JSON.stringify({
      files: others.length,
      functions: ran.filter((one) => !isLayer(one)).length,
      lines: others.reduce((sum, file) => sum + linesOf(file), 0),
      layers: files.length - others.length,
    })}`,
  )
}

function toList(files: readonly string[]): string {
  const byFolder = groupBy(
    files.map((file) => file.replace('src/', '').replace('.ts', '')),
    (file) => file.split('/')[0] ?? '',
  )
  const folders = [...byFolder].map(
    ([name, inside]) =>
      `\`${name}\` (${inside.map((file) => file.slice(name.length + 1)).join(', ')})`,
  )
  return `Beside the layers, ${files.length} files run: ${folders.join('; ')}.`
}

function linesOf(file: string): number {
  return readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1
}

function isLayer(file: string): boolean {
  return file.startsWith('src/gateway/layers/')
}
