import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChildServer } from './child-server.ts'
import { debianProgram } from './debian-program.ts'
import { freePort } from './free-port.ts'

const PROGRAM = {
  name: 'redis-server',
  packageName: 'redis-server',
  need: 'These tests need a Redis server. Set TEST_REDIS_URL to one that may be written to, or have `redis-server` on the PATH.',
}

export interface TestRedis {
  readonly url: string
  /** Whether tests may stop it; not for the server of TEST_REDIS_URL. */
  readonly own: boolean
  /** Ends it and starts it again, empty, on the same port. */
  restart(): Promise<void>
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops the process with all connections open, like an overloaded machine. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** Starts a real Redis on loopback, in its own folder; by default without persistence. */
export async function startRedis({
  ownOnly = false,
  options = ['--save', '', '--appendonly', 'no'],
}: { ownOnly?: boolean; options?: readonly string[] } = {}): Promise<TestRedis> {
  const given = process.env['TEST_REDIS_URL']
  if (given && !ownOnly) return foreign(given)
  const program = await debianProgram(PROGRAM)
  const [folder, port] = await Promise.all([mkdtemp(join(tmpdir(), 'redis-')), freePort()])
  const args = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder]
  const launch = async () => {
    const server = await startChildServer(program, [...args, ...options])
    await untilOpen(port)
    return server
  }
  let server = await launch()
  return {
    url: `redis://127.0.0.1:${port}`,
    own: true,
    async restart() {
      await server.end('SIGTERM')
      server = await launch()
    },
    kill: async () => server.end('SIGKILL'),
    async start() {
      server = await launch()
    },
    pause: () => void process.kill(server.pid, 'SIGSTOP'),
    resume: () => void process.kill(server.pid, 'SIGCONT'),
    async stop() {
      await server.end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function foreign(url: string): TestRedis {
  return {
    url,
    own: false,
    restart: async () => refuse(),
    kill: async () => refuse(),
    start: async () => refuse(),
    pause: refuse,
    resume: refuse,
    stop: async () => {},
  }
}

function refuse(): never {
  throw new Error('TEST_REDIS_URL names a server that is not ours to stop')
}

/** Resolves when something listens on the port. */
export async function untilOpen(port: number): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => (socket.destroy(), resolve(true)))
      socket.once('error', () => resolve(false))
    })
    if (open) return
    await sleep(20)
  }
  throw new Error(`Nothing listens on port ${port} after 10 s`)
}
