import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')
const UPSTREAM = join(ROOT, 'test/support/upstream.mjs')
const HTTP_UPSTREAM = join(ROOT, 'test/support/http-upstream.mjs')

export const stdioServer = (...flags) => ({ command: process.execPath, args: [UPSTREAM, ...flags] })

const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function started(command, args, options) {
  const child = spawn(command, args, options)
  running.add(child)
  child.on('exit', () => running.delete(child))
  return child
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await gone
  clearTimeout(late)
}

/** Reads a stream of text until a pattern matches; what comes later is thrown away. */
async function waitFor(child, stream, pattern) {
  let text = ''
  return new Promise((done, reject) => {
    child.on('exit', (code) =>
      reject(new Error(`ended with ${code} before it was ready:\n${text}`)),
    )
    stream.setEncoding('utf8')
    stream.on('data', (chunk) => {
      if (text.length > 100_000) return
      text += chunk
      const match = pattern.exec(text)
      if (match) done(match)
    })
  })
}

export async function startHttpServer(...flags) {
  const stdio = ['ignore', 'pipe', 'inherit']
  const child = started(process.execPath, [HTTP_UPSTREAM, ...flags], { stdio })
  const [url] = await waitFor(child, child.stdout, /http:\S+(?=\n)/)
  return { url, pid: child.pid, stop: async () => stop(child) }
}

/** A gateway in a folder of its own, in front of `servers`, that lets the agent `bench` do everything. */
export async function startGateway(command, servers, flags = ['--surface', 'direct']) {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'))
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
  writeFileSync(
    join(folder, '.mcp-gateway-rules.json'),
    JSON.stringify({
      agents: { bench: { allow: { servers: ['*'] } } },
      defaults: { deny_on_missing_agent: true },
    }),
  )
  const [program, ...args] = command
  const env = { ...process.env, PORTOLAN_HOME: join(folder, 'home') }
  const begun = performance.now()
  const child = started(program, [...args, 'serve', '--port', '0', ...flags], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [, url] = await waitFor(child, child.stderr, /listening on (http:\/\/\S+)/)
  return {
    url: `${url}/mcp`,
    pid: child.pid,
    begun,
    audited: () => countLines(join(folder, 'home', 'audit.jsonl')),
    async stop() {
      await stop(child)
    },
    discard: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function countLines(path) {
  try {
    return readFileSync(path, 'utf8').split('\n').length - 1
  } catch {
    return undefined
  }
}

/** CPU seconds a process has used so far, all its threads together, children not counted. */
export function cpuSeconds(pid) {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(
      readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0],
    )
  return nanoseconds / 1e9
}

export function rssMb(pid) {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1_024
}
