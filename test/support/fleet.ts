import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { promisify } from 'node:util'
import type { JsonObject } from '../../src/base/json/json.ts'
import { freePort } from './free-port.ts'
import { MAIN, type RunningGateway, gatewayEnv, startGateway } from './gateway.ts'
import { type TestNginx, startNginx } from './nginx.ts'
import { type Later, type TempFolder, tempFolder } from './temp-folder.ts'

const run = promisify(execFile)

export interface FleetOptions {
  readonly count: number
  readonly servers: JsonObject
  readonly settings: JsonObject
  readonly rules?: JsonObject
  /** PORTOLAN_DATABASE_URL, PORTOLAN_REDIS_URL and other variables common to the replicas. */
  readonly env: Record<string, string>
  readonly later: Later
}

export interface FleetReplica {
  readonly url: string
  readonly gateway: () => RunningGateway
  kill(): Promise<void>
  /** Resolves when it has finished its running calls and ended. */
  drain(): Promise<void>
  start(): Promise<void>
}

export interface Fleet {
  /** The URL of nginx in front of all replicas. */
  readonly url: string
  readonly replicas: readonly FleetReplica[]
  /** Runs a command, such as `config push`, and returns its stdout. */
  readonly cli: (...args: string[]) => Promise<string>
  readonly desk: TempFolder
}

/** Starts replicas as processes behind a real nginx, with its published configuration. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { count, env, later } = options
  const desk = tempFolder(later)
  writeConfig(desk, options)
  const cli = async (...args: string[]) => {
    const place = { cwd: desk.path, env: gatewayEnv(desk, env) }
    return (await run(process.execPath, [MAIN, ...args], place)).stdout
  }
  const isShared = env['PORTOLAN_CONFIG_SOURCE'] === 'database'
  if (isShared) await cli('config', 'push')
  const replicas = await Promise.all(
    Array.from({ length: count }, async () => {
      const folder = tempFolder(later)
      if (!isShared) writeConfig(folder, options)
      return startReplica(folder, env, later)
    }),
  )
  const nginx = await startBalancer(replicas.map(({ url }) => new URL(url).host))
  later(async () => nginx.stop())
  return { url: nginx.url, replicas, cli, desk }
}

async function startReplica(
  folder: TempFolder,
  env: Record<string, string>,
  later: Later,
): Promise<FleetReplica> {
  const port = await freePort()
  const open = async () => startGateway(folder, ['--port', String(port)], env, later)
  let gateway = await open()
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const ended = once(gateway.child, 'exit')
    gateway.child.kill(signal)
    await ended
  }
  return {
    url: `http://127.0.0.1:${port}`,
    gateway: () => gateway,
    kill: async () => end('SIGKILL'),
    drain: async () => end('SIGTERM'),
    async start() {
      gateway = await open()
    },
  }
}

/** Starts nginx with the published file, changed to these replicas and a free port. */
async function startBalancer(hosts: readonly string[]): Promise<TestNginx> {
  const published = readFileSync(join(import.meta.dirname, '../../deploy/nginx.conf'), 'utf8')
  const SERVERS = /(?:^ *server gateway\d*:\d+ .*;\n)+/gm
  const lines = hosts.map((host) => `  server ${host} max_fails=1 fail_timeout=1s;\n`).join('')
  return startNginx((port) =>
    published.replaceAll(SERVERS, lines).replace('listen 8080', `listen 127.0.0.1:${port}`),
  )
}

function writeConfig(folder: TempFolder, { servers, settings, rules }: FleetOptions): void {
  folder.write('.mcp.json', { mcpServers: servers })
  folder.write('portolan.yaml', settings)
  if (rules) folder.write('.mcp-gateway-rules.json', rules)
}
