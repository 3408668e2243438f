/**
 * What clients save that share a gateway, and what its bridge costs them. Four clients use six real
 * servers, each with a gateway of its own and all with one; then the first `initialize` is timed
 * beside `node -e 0`, and calls through a bridge beside the same calls over HTTP.
 *
 *   npm run bench -- shared [--rounds 15] [--calls 3000]
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isRunning } from '../src/local/alone.ts'
import { askGateway } from '../src/local/connect.ts'
import { openRunFolder } from '../src/local/run-folder.ts'
import { cpuSeconds, rssMb } from './load/processes.ts'
import { Session } from './load/session.ts'
import { median, round, table } from './support/numbers.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    calls: { type: 'string', default: '3000' },
  },
})
const ROUNDS = Number(options.rounds)
const CALLS = Number(options.calls)
/** Each round of calls is short, so that what else the machine does meets both ways alike. */
const BLOCKS = 10
const CLIENTS = 4
const MAIN = resolve('dist/cli/main.js')
const ECHO = resolve('test/support/upstream.mjs')
const SETTLE_MS = 3_000

const of = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [resolve(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
})
const TOKENS = { GITHUB_PERSONAL_ACCESS_TOKEN: 'none', GITLAB_PERSONAL_ACCESS_TOKEN: 'none' }
const SIX = {
  everything: of('everything'),
  filesystem: of('filesystem', tmpdir()),
  memory: of('memory'),
  'sequential-thinking': of('sequential-thinking'),
  github: { ...of('github'), env: TOKENS },
  gitlab: { ...of('gitlab'), env: TOKENS },
}

/** A person's data folder, with these servers in every folder. */
class Home {
  readonly path = mkdtempSync(join(tmpdir(), 'portolan-shared-'))
  readonly env: Record<string, string>

  constructor(servers: object, isAlone = false) {
    const data = join(this.path, 'data')
    mkdirSync(data)
    writeFileSync(join(data, 'mcp.json'), JSON.stringify({ mcpServers: servers }))
    this.env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.path,
      PORTOLAN_HOME: data,
      XDG_RUNTIME_DIR: this.path,
      ...(isAlone && { PORTOLAN_ALONE: '1' }),
    }
  }

  async gateway(): Promise<number | undefined> {
    return (await askGateway(openRunFolder(join(this.path, 'data'), this.env), 'ping'))?.pid
  }

  async stop(): Promise<void> {
    const pid = await this.gateway()
    if (pid === undefined) return
    process.kill(pid, 'SIGTERM')
    while (isRunning(pid)) await sleep(5)
  }

  async discard(): Promise<void> {
    await this.stop()
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** A client on stdio with as little code as possible. */
class Client {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  #text = ''
  #lastId = 0

  constructor({ path, env }: Home, surface: string) {
    this.child = spawn(process.execPath, [MAIN, '--surface', surface], {
      cwd: path,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.child.stdout.setEncoding('utf8')
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  async request(method: string, params: object): Promise<string> {
    const id = ++this.#lastId
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    for (;;) {
      const end = this.#text.indexOf('\n')
      if (end === -1) {
        const [chunk]: unknown[] = await once(this.child.stdout, 'data')
        this.#text += String(chunk)
        continue
      }
      const line = this.#text.slice(0, end)
      this.#text = this.#text.slice(end + 1)
      if (line.includes(`"id":${id},"result"`)) return line
      if (line.includes(`"id":${id},"error"`)) throw new Error(line)
    }
  }

  async open(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    await this.request('initialize', params)
    this.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  }

  async close(): Promise<void> {
    this.child.stdin.end()
    if (this.child.exitCode === null) await once(this.child, 'exit')
  }
}

interface Footprint {
  readonly processes: number
  readonly rssMb: number
}

/** Four clients that have used every server. */
async function footprint(isAlone: boolean): Promise<Footprint> {
  const home = new Home(SIX, isAlone)
  const clients: Client[] = []
  for (let count = 0; count < CLIENTS; count++) {
    const client = new Client(home, 'discover')
    clients.push(client)
    await client.open()
    for (const server of Object.keys(SIX))
      await client.request('tools/call', { name: 'get_server_tools', arguments: { server } })
  }
  await sleep(SETTLE_MS)
  const gateway = await home.gateway()
  const roots = clients.map(({ pid }) => pid)
  const pids = withDescendants(gateway === undefined ? roots : [...roots, gateway])
  const total = pids.reduce((sum, pid) => sum + rssMb(pid), 0)
  for (const client of clients) await client.close()
  await home.discard()
  return { processes: pids.length, rssMb: Math.round(total) }
}

function withDescendants(roots: readonly number[]): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const parent = parentOf(Number(name))
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = new Set(roots)
  // Iterating over a set also visits what is added meanwhile.
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child)
  return [...found]
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return 0 // It has ended meanwhile.
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}

/** The time of a start, and the CPU time of its main threads: about the time on an idle machine. */
interface Start {
  readonly ms: number
  readonly cpuMs: number
}

/** The first `initialize`, in multiples of an empty Node.js process. */
async function starts() {
  const running = new Home({ one: { command: process.execPath, args: [ECHO] } })
  const keeper = new Client(running, 'discover')
  await keeper.open()
  const node: Start[] = []
  const joined: Start[] = []
  const started: Start[] = []
  for (let count = 0; count < ROUNDS; count++) {
    node.push(await startNode())
    joined.push(await initialize(running, false))
    const empty = new Home({})
    started.push(await initialize(empty, true))
    await empty.discard()
  }
  await keeper.close()
  await running.discard()
  const ratio = (to: readonly Start[], key: keyof Start) =>
    round(median(to.map((each) => each[key])) / median(node.map((each) => each[key])))
  return {
    nodeMs: round(median(node.map(({ ms }) => ms)), 1),
    runningRatio: ratio(joined, 'ms'),
    runningCpuRatio: ratio(joined, 'cpuMs'),
    // By time only where nothing else runs: Linux gives the CPU to sessions, and a process in the
    // background has one of its own.
    startedRatio: ratio(started, 'ms'),
    startedCpuRatio: ratio(started, 'cpuMs'),
  }
}

/** Times `node -e 0`, which stays until its CPU time is read. */
async function startNode(): Promise<Start> {
  const begun = performance.now()
  const child = spawn(process.execPath, ['-e', 'fs.writeSync(1, "x"); process.stdin.resume()'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
  const ms = performance.now() - begun
  const cpuMs = 1_000 * cpuSeconds(child.pid ?? 0, true)
  child.stdin.end()
  await once(child, 'exit')
  return { ms, cpuMs }
}

async function initialize(home: Home, isStarted: boolean): Promise<Start> {
  const begun = performance.now()
  const client = new Client(home, 'discover')
  await client.open()
  const ms = performance.now() - begun
  const gateway = isStarted ? cpuSeconds((await home.gateway()) ?? 0, true) : 0
  const cpuMs = 1_000 * (cpuSeconds(client.pid, true) + gateway)
  await client.close()
  return { ms, cpuMs }
}

/** Calls through a bridge and over HTTP, at one gateway. */
async function calls() {
  const home = new Home({ one: { command: process.execPath, args: [ECHO] } })
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0', '--surface', 'direct'], {
    cwd: home.path,
    env: home.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr.setEncoding('utf8')
  let said = ''
  child.stderr.on('data', (text: string) => (said += text))
  while (!said.includes('listening on')) await sleep(10)
  while ((await home.gateway()) !== child.pid) await sleep(10)
  const url = `${/listening on (\S+)/.exec(said)?.[1]}/mcp`
  const http = new Session(url, 'legacy')
  await http.open()
  const client = new Client(home, 'direct')
  await client.open()
  const gateway = child.pid ?? 0
  const text = `echo ${'.'.repeat(80)}`
  const ways = {
    bridge: async () => client.request('tools/call', { name: 'echo', arguments: { text } }),
    http: async () => http.echo(),
  }
  const results = {
    bridge: { latencies: [0].slice(1), cpu: 0 },
    http: { latencies: [0].slice(1), cpu: 0 },
  }
  for (const way of ['bridge', 'http'] as const)
    for (let count = 0; count < 500; count++) await ways[way]()
  const bridgeBefore = cpuSeconds(client.pid)
  for (let block = 0; block < BLOCKS * 2; block++) {
    const way = block % 2 === 0 ? 'bridge' : 'http'
    const result = results[way]
    const before = cpuSeconds(gateway)
    for (let count = 0; count < CALLS / BLOCKS; count++)
      result.latencies.push(await timed(ways[way]))
    result.cpu += cpuSeconds(gateway) - before
  }
  const bridgeUs = ((cpuSeconds(client.pid) - bridgeBefore) * 1e6) / CALLS
  const us = (way: 'bridge' | 'http') => (results[way].cpu * 1e6) / CALLS
  http.close()
  await client.close()
  child.kill('SIGTERM')
  await once(child, 'exit')
  await home.discard()
  return {
    addedP50Ms: round(median(results.bridge.latencies) - median(results.http.latencies), 3),
    bridgeP50Ms: round(median(results.bridge.latencies), 3),
    httpP50Ms: round(median(results.http.latencies), 3),
    bridgeCpuUs: round(bridgeUs, 1),
    addedCpuUs: round(us('bridge') + bridgeUs - us('http'), 1),
  }
}

const alone = await footprint(true)
const shared = await footprint(false)
const first = await starts()
const relayed = await calls()
const percent = round((100 * shared.rssMb) / alone.rssMb, 1)
console.log(
  table(
    [`${CLIENTS} clients, ${Object.keys(SIX).length} servers`, 'processes', 'RSS'],
    [
      ['a gateway each', alone.processes, `${alone.rssMb} MB`],
      ['one gateway', shared.processes, `${shared.rssMb} MB (${percent} %)`],
    ],
  ),
)
console.log(
  `first initialize: ${first.runningRatio} × node -e 0 where the gateway runs (${first.runningCpuRatio} × its CPU), ${first.startedRatio} × where it must start it (${first.startedCpuRatio} × its CPU)\n` +
    `a call through the bridge: ${relayed.addedP50Ms} ms more than over HTTP (p50), ${relayed.bridgeCpuUs} µs of CPU in the bridge, ${relayed.addedCpuUs} µs more in all`,
)
console.log(
  `RESULT ${JSON.stringify({ alone, shared, rssPercent: percent, ...first, ...relayed })}`,
)
