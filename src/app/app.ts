import { isFolder } from '../base/files/paths.ts'
import type { Environment } from '../base/environment.ts'
import type { CircuitState } from '../base/flow/circuit.ts'
import { messageOf } from '../base/errors.ts'
import { BY_HAND } from '../config/history/follow-hand-edits.ts'
import type { Config } from '../config/load.ts'
import { describeProblem } from '../config/problem.ts'
import type { ReloadRecord } from '../config/reload/reloader.ts'
import type { ConfigWatcher, WatchListeners } from '../config/reload/watch.ts'
import { recordChange } from '../dashboard/record-change.ts'
import type { FolderSources, Sources } from '../dashboard/sources.ts'
import type { Backend } from '../fronts/backend.ts'
import type { Front } from '../fronts/front.ts'
import type { SessionIds } from '../fronts/session-ids.ts'
import type { Client } from '../gateway/call.ts'
import { ToolHistory } from '../gateway/names/tool-history.ts'
import { type Upstream, stateKeyOf } from '../gateway/upstream.ts'
import type { SignIn } from '../identity/incoming/sign-in.ts'
import { SCRIPTS_SERVER } from '../protocol/saved-scripts.ts'
import { detectProject } from '../gateway/project.ts'
import { isUnlisted } from '../surfaces/unlisted.ts'
import { type World, permittedServers } from '../surfaces/world.ts'
import type { Log } from '../telemetry/log.ts'
import { type Listener, EVERY_SERVER, createBackend, wake } from './create-backend.ts'
import { createWorld } from './create-world.ts'
import { createScriptLibrary } from './saved-scripts.ts'
import { createScriptsUpstream } from './scripts-upstream.ts'
import { type Readiness, createReadiness, readinessChecks } from './health/readiness.ts'
import { type Process, type ProcessOptions, type ServedFolder, createProcess } from './process.ts'
import type { ReplicaServices } from './shared.ts'
import { describeStatus } from './health/status.ts'
import { LOCAL_PERSON, asSeenByPerson, personOf } from '../gateway/agents/on-behalf-of.ts'
import { overrideProblems } from './upstreams/override-problems.ts'
import { describeSignIns } from './upstreams/people.ts'
import { WatchedResources } from './watched-resources.ts'
import type { AppState } from './state.ts'
import { createReviews } from './upstreams/review-drift.ts'
import type { PoolUser } from './upstreams/upstream-pool.ts'

/** One folder: its configuration, and what clients in it see. */
export interface FolderOptions {
  /** Loads the configuration and follows it: from files, or fixed for a standalone server. */
  readonly watch: (listeners: WatchListeners) => ConfigWatcher
  /** Switches a server on or off in its file; absent if the configuration is not in a file. */
  readonly setEnabled?: Sources['setEnabled']
  /** How it introduces itself; as Portolan when absent. */
  readonly info?: Backend['info']
  /** Whether the configuration is in files, which pages may change. */
  readonly isInFiles?: boolean
  /** Finds the gateways of this machine that serve one client alone. */
  readonly alone?: Sources['alone']
  readonly cwd?: string
  readonly env?: Environment
  /** Tells the folder from others of the process; undefined for the main one. */
  readonly id?: string | undefined
}

export type AppOptions = ProcessOptions & FolderOptions

export interface App extends Sources, FolderSources {
  readonly log: Log
  readonly backend: Backend
  readonly redis: ReplicaServices['redis']
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
  /** Where calls that need approval are asked about, and how links to them are opened. */
  readonly questions: AppState['questions']
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
  let running: Process | undefined
  return openFolder(options, {
    process: (current) => (running = createProcess(options, current)),
    close: async () => running?.close(),
  })
}

interface FolderParts {
  /** The process that serves the folder; the main folder, which is opened first, creates it. */
  readonly process: (current: () => Config) => Process
  /** Ends the process with its only folder, instead of the folder alone. */
  readonly close?: () => Promise<void>
}

/** Opens a folder: the watcher of its configuration, its servers, and the world built of both. */
export function openFolder(options: FolderOptions, parts: FolderParts): App {
  const { cwd = process.cwd(), env = process.env, id } = options
  const place = { cwd, env }
  const listeners = new Set<Listener>()
  const reloadListeners = new Set<(record: ReloadRecord) => void>()
  const scripts = createScriptsUpstream(() => world)
  const watcher = options.watch({
    onReload: (next, previous) => {
      rebuild(next)
      if (next.servers === previous.servers) return
      for (const kind of ['tools', 'prompts', 'resources'])
        notify(EVERY_SERVER, `notifications/${kind}/list_changed`, {})
    },
    onRecord: (record) => {
      const { outcome, changes, warnings } = record
      if (outcome === 'applied' || outcome === 'partly')
        log.info(`configuration reloaded: ${[...changes, ...warnings].join('; ')}`)
      for (const listener of [...reloadListeners, running.sealSecrets]) listener(record)
    },
    onSaved: (files) => {
      for (const { path, diff } of files)
        recordChange(state, { actAs: [BY_HAND] }, 'config.save', {
          file: path,
          diff: diff.join('\n'),
        })
    },
    onError: (error) => log.error(messageOf(error)),
  })
  const running = parts.process(() => watcher.current)
  const { log, pool, shared, secrets, people, state, signIn, drain } = running
  for (const warning of watcher.current.warnings) log.warn(warning)
  const notify: Listener = (server, method, ...rest) => {
    // Other replicas serve the main folder alone.
    if (id === undefined) running.listChanged?.(server, method)
    if (method === 'notifications/tools/list_changed') {
      world.catalog.update()
      reportOverrides()
    }
    for (const listener of listeners) listener(server, method, ...rest)
  }
  const detect: Backend['detect'] = (clues) => detectProject({ ...clues, ...place, isFolder })
  const history = new ToolHistory()
  const user: PoolUser = {
    id,
    place,
    project: async () => detect({ roots: undefined, query: undefined }),
    onNotification: notify,
    rebuild: () => rebuild(watcher.current),
  }
  const watched = new WatchedResources()
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
  const statusParts = { watcher, appState: state, shared, place }
  let world = build(watcher.current)
  const reported = new Set<string>()
  reportOverrides()

  /** Logs what entries say of tools that do not exist or cannot be so, once a server has listed them. */
  function reportOverrides(): void {
    const found = overrideProblems(world.catalog.servers, watcher.current).map(describeProblem)
    for (const text of found) if (!reported.has(text)) log.error(text)
    reported.clear()
    for (const text of found) reported.add(text)
  }

  function rebuild(config: Config): void {
    world = build(config)
    reportOverrides()
    const left = pool.leftBy(user)
    if (left.length > 0) void watched.follow(left)
  }

  function build(config: Config): World {
    return createWorld({
      config,
      secrets,
      servers: [...pool.adopt(user, config), ...(isServed(config) ? [scripts.upstream] : [])],
      appState: state,
      folder: { id, path: cwd },
      files: options.isInFiles ? place : undefined,
      history,
      meanings: running.meanings(config),
      signIn,
      savedScripts: async () => library.store(),
      latest: () => world,
      status: (now, agent) => ({
        ...secrets.hideDeep(
          describeStatus({ ...statusParts, config, world: now, circuits: circuitsOf(now) }, agent),
        ),
        ...describeSignIns(permittedServers(now, agent), personOf(agent), people),
      }),
    })
  }

  function circuitsOf({ catalog }: World): Record<string, CircuitState> {
    const states = state.gatewayState.circuits.states()
    return Object.fromEntries(
      catalog.servers.flatMap((server) => {
        const known = states[stateKeyOf(server)]
        return known === undefined ? [] : [[server.name, known]]
      }),
    )
  }

  /** A configured server of the same name takes precedence. */
  function isServed({ settings, servers }: Config): boolean {
    return scripts.isUsed && settings.scripts.enabled !== false && !servers.has(SCRIPTS_SERVER)
  }

  const closeFolder = async () => {
    running.folders.delete(served)
    watcher.close()
    await library.close()
    await pool.release(user)
    await scripts.upstream.close()
  }
  const close = parts.close ?? closeFolder

  function warm(client?: Client): void {
    const { settings, rules } = watcher.current
    if (settings.upstreams.start !== 'eager') return
    const agents = rules && Object.keys(rules.agents)
    // The members of a group are known only when they connect.
    const isUsed = ({ name }: Upstream) =>
      agents === undefined ||
      Object.keys(rules?.groups ?? {}).length > 0 ||
      agents.some((agent) => world.policy.server({ id: agent }, name).effect === 'allow')
    wake(world.catalog.servers.filter(isUsed), client)
  }

  const app: App = {
    ...state,
    path: cwd,
    folders: () => [...running.folders].map(({ sources }) => sources),
    log,
    backend: createBackend(() => world, listeners, {
      folder: cwd,
      watched,
      left: () => pool.leftBy(user),
      info: options.info,
      detect,
      drain,
      ledger: state.ledger,
      greeted: warm,
      loaded: () => library.loaded(),
    }),
    ready: createReadiness(
      readinessChecks({
        shared,
        drain,
        reload: () => watcher.status,
        auditLog: state.auditLog,
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
      const keys = await state.keys.list()
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
    circuits: () => circuitsOf(world),
    shares: {
      storage: shared.storage ? 'postgres' : 'embedded',
      limits: shared.redis ? 'redis' : 'this process',
    },
    dashboardUrl: undefined,
    reload: async () => watcher.reload(),
    setEnabled: options.setEnabled,
    adderFor: options.isInFiles
      ? async (file) => {
          const { createServerAdder } = await import('./servers/server-adder.ts')
          return createServerAdder({ place, settings: watcher.current.settings, file })
        }
      : undefined,
    files: options.isInFiles ? place : undefined,
    alone: options.alone ?? (() => []),
    async restart(server) {
      pool.renew(user, server)
      // Its variables may be others now.
      await watcher.reload()
      rebuild(watcher.current)
      wake(world.catalog.servers.filter(({ name }) => name === server))
    },
    ...createReviews({
      place,
      guardOf: (name) => pool.guardOf(user, name),
      entryOf: (name) => watcher.current.servers.get(name),
      reload: async () => watcher.reload(),
    }),
    probe: async (server, timeoutMs) =>
      (await import('./health/probe.ts')).probe(server, timeoutMs),
    close,
  }
  const served: ServedFolder = { sources: app, close: closeFolder }
  running.folders.add(served)
  return app
}
