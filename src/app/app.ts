import { existsSync } from 'node:fs'
import { messageOf } from '../base/errors.ts'
import { SecretValues } from '../base/secrets/secret-values.ts'
import type { Config } from '../config/load.ts'
import { sharedServicesWarning } from '../config/shared-services.ts'
import type { Settings } from '../config/settings/settings.ts'
import type { ReloadRecord } from '../config/reload/reloader.ts'
import type { ConfigWatcher, WatchListeners } from '../config/reload/watch.ts'
import type { Sources } from '../dashboard/sources.ts'
import type { Backend } from '../fronts/backend.ts'
import type { Front } from '../fronts/front.ts'
import type { SessionIds } from '../fronts/session-ids.ts'
import type { Client } from '../gateway/call.ts'
import type { Upstream } from '../gateway/upstream.ts'
import type { SignIn } from '../identity/incoming/sign-in.ts'
import { SCRIPTS_SERVER } from '../protocol/saved-scripts.ts'
import { detectProject } from '../gateway/project.ts'
import { isUnlisted } from '../surfaces/unlisted.ts'
import { type World, permittedServers } from '../surfaces/world.ts'
import type { Log } from '../telemetry/log.ts'
import { type Listener, EVERY_SERVER, createBackend, wake } from './create-backend.ts'
import { createWorld } from './create-world.ts'
import { openSignIn } from './open-sign-in.ts'
import { createScriptLibrary } from './saved-scripts.ts'
import { createScriptsUpstream } from './scripts-upstream.ts'
import { createAppState, untilChanged } from './state.ts'
import { Drain } from './health/draining.ts'
import { type Readiness, createReadiness, readinessChecks } from './health/readiness.ts'
import { type Shared, ALONE, shareListChanges } from './shared.ts'
import { gaugeServers } from './health/server-gauges.ts'
import { describeStatus } from './health/status.ts'
import { LOCAL_PERSON, asSeenByPerson, personOf } from '../gateway/agents/on-behalf-of.ts'
import { serveTasks } from './relay-tasks.ts'
import type { Telemetry } from './telemetry.ts'
import { openVault } from '../identity/vault/open-vault.ts'
import type { Environment } from '../base/environment.ts'
import { createPeople, describeSignIns } from './upstreams/people.ts'
import { type OpenService, UpstreamPool } from './upstreams/upstream-pool.ts'

export interface AppOptions {
  readonly log: Log
  /** Loads the configuration and follows it: from files, or fixed for a standalone server. */
  readonly watch: (listeners: WatchListeners) => ConfigWatcher
  readonly openService: OpenService
  /** State shared with other replicas; closed with the app. */
  readonly shared?: Shared
  /** Reports calls to other systems; closed with the app. */
  readonly telemetry?: Telemetry | undefined
  /** Ranks tools by meaning, with the embedder of these settings; undefined without one. */
  readonly meanings?: (settings: Settings) => World['toolMeanings']
  /** Switches a server on or off in its file; absent if the configuration is not in a file. */
  readonly setEnabled?: Sources['setEnabled']
  readonly env?: Environment
  readonly cwd?: string
}

export interface App extends Sources {
  readonly log: Log
  readonly backend: Backend
  readonly redis: Shared['redis']
  readonly sessionIds: SessionIds
  /**
   * Starts the servers that some agent may use, if the settings say so. If the process has a single
   * client, they start once it is known, so that each has one connection.
   */
  warm(): void
  /** Resolves when every server has been listed, or has failed. */
  listUnlisted(): Promise<void>
  /** Whether work should be sent here, and if not, what is missing. */
  ready(): Promise<Readiness>
  /** Stops accepting calls, waits for those in flight, then closes the front and the app. */
  leave(front: Front): Promise<void>
  /** Whether callers can authenticate: there is a key, or a provider of tokens. */
  knowsAnybody(): Promise<boolean>
  /** Sign-in of people over HTTP; undefined if it is off. */
  readonly signIn: SignIn | undefined
  /** The address of the dashboard, set by the code that serves it. */
  dashboardUrl: string | undefined
  close(): Promise<void>
}

/**
 * The composition root: builds a running gateway from a configuration, and closes what it opened.
 *
 * @example The gateway of a folder, inside another program:
 * ```ts
 * const app = createApp({
 *   log: createLog({ level: 'warn' }),
 *   watch: (listeners) => watchConfig({ cwd: '/srv/team' }, listeners),
 *   openService,
 * })
 * const server = await serveHttp(app, { surface: 'discover' })
 * // …
 * await app.leave(server)
 * ```
 */
export function createApp(options: AppOptions): App {
  const { log, openService, shared = ALONE, env = process.env, cwd = process.cwd() } = options
  const { database } = shared
  const listeners = new Set<Listener>()
  const reloadListeners = new Set<(record: ReloadRecord) => void>()
  const publish = shared.redis && shareListChanges(shared.redis.client.bus, () => world.catalog)
  const notify: Listener = (server, method, ...rest) => {
    publish?.(server, method)
    if (method === 'notifications/tools/list_changed') world.catalog.update()
    for (const listener of listeners) listener(server, method, ...rest)
  }
  const detect: Backend['detect'] = (clues) =>
    detectProject({ ...clues, env, cwd, exists: existsSync })
  const secrets = new SecretValues()
  const pool = new UpstreamPool({
    log,
    openService,
    project: async () => detect({ roots: undefined, query: undefined }),
    onNotification: notify,
    // The state of the old server says nothing about its replacement.
    onRetired: (server) => appState.gatewayState.forget(server),
    people: () => people,
    secrets,
    env,
  })
  const meanings = untilChanged(({ settings }) => [
    [settings.embedding, settings.home],
    () => options.meanings?.(settings),
  ])
  const scripts = createScriptsUpstream(() => world)
  const watcher = options.watch({
    onReload: (next, previous) => {
      world = build(next)
      if (next.servers === previous.servers) return
      for (const kind of ['tools', 'prompts', 'resources'])
        notify(EVERY_SERVER, `notifications/${kind}/list_changed`, {})
    },
    onRecord: (record) => {
      const { outcome, changes, warnings } = record
      if (outcome === 'applied' || outcome === 'partly')
        log.info(`configuration reloaded: ${[...changes, ...warnings].join('; ')}`)
      for (const listener of reloadListeners) listener(record)
    },
    onError: (error) => log.error(messageOf(error)),
  })
  for (const warning of watcher.current.warnings) log.warn(warning)
  const sharing = sharedServicesWarning(env)
  if (sharing) log.warn(sharing.message, { fix: sharing.fix })
  const people = createPeople(database?.vault ?? openVault(watcher.current.settings.home, env), {
    secrets,
    onSignedIn: (server, person) => list(server, person),
  })
  const appState = createAppState(() => watcher.current, log, shared, {
    telemetry: options.telemetry,
    env,
  })
  const signIn = openSignIn({
    settings: watcher.current.settings,
    current: () => watcher.current.settings,
    keys: appState.keys,
    shared,
    env,
    world: () => world,
    ledger: appState.ledger,
  })
  const drain = new Drain()
  const library = createScriptLibrary({
    home: watcher.current.settings.home,
    shared,
    log,
    onChange: async (found) => {
      await scripts.offer(found)
      world = build(watcher.current)
      for (const kind of ['tools', 'resources'])
        notify(SCRIPTS_SERVER, `notifications/${kind}/list_changed`, {})
    },
  })
  let world = build(watcher.current)
  const unserveTasks =
    shared.redis &&
    serveTasks(shared.redis.relay(), appState.gatewayState.tasks, (name) =>
      world.catalog.server(name),
    )
  gaugeServers(appState.metrics, () => world)

  function build(config: Config): World {
    return createWorld({
      config,
      secrets,
      servers: [...pool.adopt(config), ...(isServed(config) ? [scripts.upstream] : [])],
      appState,
      meanings: meanings(config),
      signIn,
      savedScripts: async () => library.store(),
      latest: () => world,
      status: (now, agent) => ({
        ...secrets.hideDeep(
          describeStatus({ config, watcher, world: now, appState, shared }, agent),
        ),
        ...describeSignIns(permittedServers(now, agent), personOf(agent), people),
      }),
    })
  }

  /** A configured server of the same name takes precedence. */
  function isServed({ settings, servers }: Config): boolean {
    return scripts.isUsed && settings.scripts.enabled !== false && !servers.has(SCRIPTS_SERVER)
  }

  /** Lists a server for a person who has just signed in to it. */
  function list(server: string, person: string): void {
    const upstream = world.catalog.server(server)
    upstream
      ?.as?.(person)
      .list()
      .catch(() => undefined)
  }

  async function close(): Promise<void> {
    watcher.close()
    unserveTasks?.()
    await people.signIns.close()
    await library.close()
    appState.storedTasks.leave()
    await appState.scripts.close()
    await pool.close()
    await scripts.upstream.close()
    await appState.storedTasks.flush()
    await appState.sealed.close()
    await signIn?.close()
    await appState.auditLog.close()
    await appState.auditIndex?.close()
    await options.telemetry?.close()
    await shared.close()
  }

  function warm(client?: Client): void {
    const { settings, rules } = watcher.current
    if (settings.upstreams.start !== 'eager') return
    const agents = rules && Object.keys(rules.agents)
    // The members of a group are known only when they connect.
    const isUsed = ({ name }: Upstream) =>
      agents === undefined ||
      Object.keys(rules?.groups ?? {}).length > 0 ||
      agents.some((id) => world.policy.server({ id }, name).effect === 'allow')
    wake(world.catalog.servers.filter(isUsed), client)
  }

  return {
    ...appState,
    log,
    backend: createBackend(() => world, listeners, {
      detect,
      drain,
      ledger: appState.ledger,
      greeted: warm,
      loaded: () => library.loaded(),
    }),
    ready: createReadiness(
      readinessChecks({
        shared,
        drain,
        reload: () => watcher.status,
        auditLog: appState.auditLog,
        servers: () => world.catalog.servers,
      }),
    ),
    async leave(front) {
      await drain.run(front, watcher.current.settings.listen, log)
      await front.close()
      await close()
    },
    get config() {
      return watcher.current
    },
    warm: () => warm(),
    savedScripts: async () => library.store(),
    async listUnlisted() {
      await library.loaded()
      const unlisted = world.catalog.servers.filter(isUnlisted)
      await Promise.allSettled(
        unlisted.map(async (server) => asSeenByPerson(server, LOCAL_PERSON).list()),
      )
    },
    async knowsAnybody() {
      if (watcher.current.settings.auth.jwt || watcher.current.settings.auth.provider) return true
      const keys = await appState.keys.list()
      return keys.some(({ revokedAt }) => revokedAt === undefined)
    },
    secrets,
    people,
    signIn,
    get world() {
      return world
    },
    get reloads() {
      return watcher
    },
    onReload(listener) {
      reloadListeners.add(listener)
      return () => reloadListeners.delete(listener)
    },
    circuits: () => appState.gatewayState.circuits.states(),
    shares: {
      storage: shared.storage ? 'postgres' : 'embedded',
      limits: shared.redis ? 'redis' : 'this process',
    },
    dashboardUrl: undefined,
    reload: async () => watcher.reload(),
    setEnabled: options.setEnabled,
    async restart(server) {
      pool.renew(server)
      // Its variables may be others now.
      await watcher.reload()
      world = build(watcher.current)
      wake(world.catalog.servers.filter(({ name }) => name === server))
    },
    probe: async (server, timeoutMs) =>
      (await import('./health/probe.ts')).probe(server, timeoutMs),
    close,
  }
}
