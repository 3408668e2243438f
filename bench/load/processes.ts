import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'

const ROOT = resolve(import.meta.dirname, '../..')
const HTTP_UPSTREAM = join(ROOT, 'test/support/http-upstream.mjs')

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Makes the child end with this process in any case. */
function attended<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.on('exit', () => running.delete(child))
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await gone
  clearTimeout(late)
}

function pidOf({ pid, spawnfile }: ChildProcess): number {
  if (pid === undefined) throw new Error(`${spawnfile} did not start`)
  return pid
}

/** Reads a stream until a pattern matches, and returns its first group; later text is discarded. */
async function waitFor(child: ChildProcess, stream: Readable, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((done, reject) => {
    child.on('error', reject)
    child.on('exit', (code) =>
      reject(new Error(`ended with ${String(code)} before it was ready:\n${text}`)),
    )
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      if (text.length > 100_000) return
      text += chunk
      const found = pattern.exec(text)?.[1]
      if (found !== undefined) done(found)
    })
  })
}

export interface StartedServer {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

export async function startHttpServer(...flags: readonly string[]): Promise<StartedServer> {
  const child = attended(
    spawn(process.execPath, [HTTP_UPSTREAM, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  const url = await waitFor(child, child.stdout, /(http:\S+)\n/)
  return { url, pid: pidOf(child), stop: async () => stop(child) }
}

export interface StartedGateway extends StartedServer {
  /** When it was started, on the clock of `performance.now()`. */
  readonly begun: number
  /** How many calls it recorded; undefined for a program that records none. */
  audited(): number | undefined
  /** Removes its folder. */
  discard(): void
}

export type Servers = Readonly<
  Record<string, { readonly url: string } | { readonly command: string; readonly args: string[] }>
>

export interface FirstAnswer {
  /** From the start of the process to its answer to `initialize`. */
  readonly ms: number
  /** The CPU time of its main thread in that time, about what an idle machine would take. */
  readonly cpuMs: number
}

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  },
}

/** Starts a gateway on stdio, and waits for the answer to `initialize` as a client does. */
export async function firstInitialize(
  [program = '', ...args]: readonly string[],
  servers: Servers,
): Promise<FirstAnswer> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'))
  const file = join(folder, '.mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: servers }))
  const begun = performance.now()
  const child = attended(
    spawn(program, args, {
      cwd: folder,
      env: { ...process.env, GATEWAY_MCP_CONFIG: file, PORTOLAN_HOME: join(folder, 'home') },
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  child.stdin.write(`${JSON.stringify(HELLO)}\n`)
  await waitFor(child, child.stdout, /("serverInfo")/)
  const ms = performance.now() - begun
  const cpuMs = 1_000 * cpuSeconds(pidOf(child), true)
  await stop(child)
  rmSync(folder, { recursive: true, force: true })
  return { ms, cpuMs }
}

interface GatewayStart {
  /** Writes further files into its folder, or others in place of those for `bench`. */
  readonly prepare?: (folder: string) => void
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a gateway for `servers` in its own folder; the agent `bench` may do everything. */
export async function startGateway(
  [program = '', ...args]: readonly string[],
  servers: Servers,
  flags: readonly string[] = ['--surface', 'direct'],
  { prepare, env = {} }: GatewayStart = {},
): Promise<StartedGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'))
  const files = {
    GATEWAY_MCP_CONFIG: join(folder, '.mcp.json'),
    GATEWAY_RULES: join(folder, '.mcp-gateway-rules.json'),
  }
  writeFileSync(files.GATEWAY_MCP_CONFIG, JSON.stringify({ mcpServers: servers }))
  writeFileSync(
    files.GATEWAY_RULES,
    JSON.stringify({
      agents: { bench: { allow: { servers: ['*'] } } },
      defaults: { deny_on_missing_agent: true },
    }),
  )
  prepare?.(folder)
  const begun = performance.now()
  const child = attended(
    spawn(program, [...args, 'serve', '--port', '0', ...flags], {
      cwd: folder,
      // Named explicitly, because a gateway does not trust files that it only finds in its folder.
      env: { ...process.env, ...files, PORTOLAN_HOME: join(folder, 'home'), ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  )
  const url = await waitFor(child, child.stderr, /listening on (http:\/\/\S+)/)
  return {
    url: `${url}/mcp`,
    pid: pidOf(child),
    begun,
    audited: () => countLines(join(folder, 'home', 'audit.jsonl')),
    stop: async () => stop(child),
    discard: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Splits a command line into words; paths of scripts become absolute. */
export function toCommand(line: string): string[] {
  return line.split(' ').map((part) => (/\.m?js$/.test(part) ? resolve(part) : part))
}

function countLines(path: string): number | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n').length - 1
  } catch {
    return undefined
  }
}

/** Returns the CPU seconds of a process so far, over all its threads, without children. */
export function cpuSeconds(pid: number, isMainOnly = false): number {
  let nanoseconds = 0
  const threads = isMainOnly ? [String(pid)] : readdirSync(`/proc/${pid}/task`)
  for (const thread of threads)
    nanoseconds += Number(
      readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0],
    )
  return nanoseconds / 1e9
}

export function rssMb(pid: number): number {
  return memoryMb(pid, 'VmRSS')
}

/** Returns the most memory that a process has had at a time. */
export function peakMb(pid: number): number {
  return memoryMb(pid, 'VmHWM')
}

function memoryMb(pid: number, what: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(String.raw`${what}:\s+(\d+)`).exec(status)?.[1]) / 1_024
}
