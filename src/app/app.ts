import { existsSync } from 'node:fs'
import { messageOf } from '../base/errors.ts'
import { SecretValues } from '../base/secret-values.ts'
import type { Config } from '../config/load.ts'
import type { ConfigWatcher, WatchListeners } from '../config/watch.ts'
import type { Sources } from '../dashboard/sources.ts'
import type { Backend } from '../fronts/backend.ts'
import type { Front } from '../fronts/front.ts'
import { detectProject } from '../gateway/project.ts'
import { isUnlisted } from '../surfaces/unlisted.ts'
import type { World } from '../surfaces/world.ts'
import type { Log } from '../telemetry/log.ts'
import { EVERY_SERVER, type Listener, createBackend, wake } from './create-backend.ts'
import { createWorld } from './create-world.ts'
import { createLasting } from './lasting.ts'
import { Leaving } from './leaving.ts'
import { type Readiness, createReadiness } from './readiness.ts'
import { readinessChecks } from './readiness-checks.ts'
import { ALONE, type Shared } from './shared.ts'
import { shareListChanges } from './share-list-changes.ts'
import { describeStatus } from './status.ts'
import type { Telemetry } from './telemetry.ts'
import { type OpenService, UpstreamPool } from './upstream-pool.ts'

export interface AppOptions {
  readonly log: Log
  /** Loads the configuration and follows it: from files, or fixed for a server that stands alone. */
  readonly watch: (listeners: WatchListeners) => ConfigWatcher
  readonly openService: OpenService
  /** What it shares with other replicas; it is closed with the app. */
  readonly shared?: Shared
  /** What is told to others about calls; it is closed with the app. */
  readonly telemetry?: Telemetry | undefined
  /** Tools by meaning, where there is an embedder. */
  readonly meanings?: World['toolMeanings']
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
}

export interface App extends Sources {
  readonly backend: Backend
  readonly redis: Shared['redis']
  /** Starts servers that have not been listed yet, or all where the settings say so. */
  warm(): void
  /** Resolves when every server has said what it offers, or failed to. */
  listUnlisted(): Promise<void>
  /** Whether work should be sent here, and if not, what is missing. */
  ready(): Promise<Readiness>
  /** Stops taking work on, waits for what is under way, then closes the front and the app. */
  leave(front: Front): Promise<void>
  /** Whether anybody could prove who it is: there is a key, or a provider of tokens. */
  knowsAnybody(): Promise<boolean>
  /** Set by whoever serves the dashboard, for those who want to show it. */
  dashboardUrl: string | undefined
  close(): Promise<void>
}

/** The composition root: configuration in, running product out; closes in reverse what it opened. */
export function createApp(options: AppOptions): App {
  const { log, openService, shared = ALONE, env = process.env, cwd = process.cwd() } = options
  const { database } = shared
  const listeners = new Set<Listener>()
  const told = shared.redis && shareListChanges(shared.redis.client.bus, () => world.catalog)
  const tell: Listener = (server, method, params) => {
    told?.(server, method)
    for (const listener of listeners) listener(server, method, params)
  }
  const detect: Backend['detect'] = (clues) =>
    detectProject({ ...clues, env, cwd, exists: existsSync })
  const secrets = new SecretValues()
  const pool = new UpstreamPool({
    log,
    openService,
    project: async () => detect({ roots: undefined, query: undefined }),
    onNotification: tell,
    // What is known of the old server says nothing about the one in its place.
    onRetired: (server) => lasting.state.forget(server),
    tokens: database && ((url) => database.tokens(url)),
    secrets,
    env,
  })
  const watcher = options.watch({
    onReload: (next, previous) => {
      world = build(next)
      log.info('configuration reloaded')
      if (next.servers === previous.servers) return
      for (const kind of ['tools', 'prompts', 'resources'])
        tell(EVERY_SERVER, `notifications/${kind}/list_changed`, {})
    },
    onError: (error) => log.error(messageOf(error)),
  })
  for (const warning of watcher.current.warnings) log.warn(warning)
  const lasting = createLasting(() => watcher.current, log, shared, options.telemetry)
  const leaving = new Leaving()
  let world = build(watcher.current)
  lasting.metrics.gauge({
    name: 'upstreams',
    help: 'Servers by state.',
    read: () => [...countStates(world)].map(([state, count]) => [{ state }, count] as const),
  })

  lasting.metrics.gauge({
    name: 'upstream_connections',
    help: 'Connections to each server that are up: child processes, or sessions of a remote server.',
    read: () =>
      world.catalog.servers.map(
        ({ name, connections }) => [{ server: name }, connections] as const,
      ),
  })

  function build(config: Config): World {
    return createWorld({
      config,
      secrets,
      servers: pool.adopt(config),
      lasting,
      meanings: options.meanings,
      status: (now, agent) =>
        secrets.hideDeep(describeStatus({ config, watcher, world: now, lasting, shared }, agent)),
    })
  }

  async function close(): Promise<void> {
    watcher.close()
    await pool.close()
    await lasting.auditLog.close()
    await lasting.auditIndex?.close()
    await options.telemetry?.close()
    await shared.close()
  }

  return {
    ...lasting,
    backend: createBackend(() => world, listeners, {
      detect,
      leaving,
      ledger: lasting.ledger,
    }),
    ready: createReadiness(readinessChecks(shared, leaving, () => watcher.status)),
    async leave(front) {
      await leaving.leave(front, watcher.current.settings.listen, log)
      await front.close()
      await close()
    },
    get config() {
      return watcher.current
    },
    warm() {
      const { servers } = world.catalog
      const eager = watcher.current.settings.upstreams.start === 'eager'
      wake(eager ? servers : servers.filter(isUnlisted), undefined)
    },
    async listUnlisted() {
      const unlisted = world.catalog.servers.filter(isUnlisted)
      await Promise.allSettled(unlisted.map(async (server) => server.live(undefined)))
    },
    async knowsAnybody() {
      if (watcher.current.settings.auth.jwt) return true
      const keys = await lasting.keys.list()
      return keys.some(({ revokedAt }) => revokedAt === undefined)
    },
    secrets,
    get world() {
      return world
    },
    get reloads() {
      return watcher
    },
    circuits: () => lasting.state.circuits.states(),
    shares: {
      storage: shared.storage ? 'postgres' : 'embedded',
      limits: shared.redis ? 'redis' : 'this process',
    },
    dashboardUrl: undefined,
    reload: async () => watcher.reload(),
    close,
  }
}

function countStates({ catalog }: World): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { status } of catalog.servers)
    counts.set(status.state, (counts.get(status.state) ?? 0) + 1)
  return counts
}
