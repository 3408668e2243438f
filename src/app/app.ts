import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, LoadOptions } from '../config/load.ts'
import { type ConfigWatcher, watchConfig } from '../config/watch.ts'
import type { Backend } from '../fronts/backend.ts'
import type { Client } from '../gateway/call.ts'
import { createCatalog } from '../gateway/catalog.ts'
import { createGateway } from '../gateway/gateway.ts'
import { createPolicy } from '../gateway/policy.ts'
import { detectProject } from '../gateway/project.ts'
import { type Rates, createRates } from '../gateway/rates.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { credentialRequired } from '../identity/credential-required.ts'
import { createDirectory } from '../identity/directory.ts'
import { createFileKeyStore } from '../identity/file-key-store.ts'
import { createHandles } from '../identity/handles.ts'
import { identityFiles } from '../identity/identity-files.ts'
import { createJwtVerifier } from '../identity/jwt.ts'
import type { JsonObject } from '../protocol/json-rpc.ts'
import { isStranger } from '../surfaces/direct.ts'
import { FORWARDED_METHODS, createEndpoint } from '../surfaces/endpoint.ts'
import { serverOfResource } from '../surfaces/resources.ts'
import type { World } from '../surfaces/world.ts'
import { type AuditLog, createAuditLog } from '../telemetry/audit-log.ts'
import { type Feed, createFeed } from '../telemetry/feed.ts'
import { createLedger } from '../telemetry/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { type Metrics, createMetrics } from '../telemetry/metrics.ts'
import { deadlinesOf } from './deadlines.ts'
import { locate } from './locate.ts'
import { describeStatus } from './status.ts'
import { type OpenService, UpstreamPool } from './upstream-pool.ts'
import { VERSION } from './version.ts'

export interface AppOptions extends LoadOptions {
  readonly log: Log
  readonly openService: OpenService
}

export interface App {
  readonly backend: Backend
  readonly config: Config
  readonly metrics: Metrics
  readonly feed: Feed
  readonly auditLog: AuditLog
  reload(): Promise<unknown>
  close(): Promise<void>
}

type Listener = (server: string, method: string, params: JsonObject) => void

const MINT_TTL_MS = 15 * 60_000

/** The composition root: configuration in, running product out. */
export function createApp(options: AppOptions): App {
  const { log, env = process.env, cwd = process.cwd() } = options
  const listeners = new Set<Listener>()
  const metrics = createMetrics()
  const feed = createFeed()
  const pool = new UpstreamPool({
    log,
    openService: options.openService,
    project: async () => detect({ roots: undefined, query: undefined }),
    onNotification: (server, method, params) => {
      for (const listener of listeners) listener(server, method, params)
    },
  })
  const watcher: ConfigWatcher = watchConfig(options, {
    onReload: (next, previous) => {
      world = createWorld(next)
      log.info('configuration reloaded')
      if (next.servers !== previous.servers) announce()
    },
    onError: (error) => log.error(error instanceof Error ? error.message : String(error)),
  })
  const { settings } = watcher.current
  const auditLog = createAuditLog({
    path: settings.audit.path ?? join(settings.home, 'audit.jsonl'),
    maxBytes: settings.audit.maxBytes,
    keep: settings.audit.maxFiles,
  })
  const ledger = createLedger({ auditLog, metrics, feed, log })
  const files = identityFiles(settings.home)
  const keys = createFileKeyStore(files.keys)
  const handles = createHandles(files.handleSecret)
  let rates: { key: string; rates: Rates | undefined } | undefined
  let world = createWorld(watcher.current)
  const endpoint = createEndpoint(() => world)
  for (const warning of watcher.current.warnings) log.warn(warning)
  metrics.gauge({
    name: 'upstreams',
    help: 'Servers by state.',
    read: () => [...countStates(world)].map(([state, count]) => [{ state }, count] as const),
  })

  function createWorld(config: Config): World {
    const { settings: now, rules } = config
    const servers = pool.adopt(config)
    const catalog = createCatalog(servers)
    const budgets = Object.fromEntries(
      Object.entries(now.agents).flatMap(([id, { maxTokens }]) =>
        maxTokens ? [[id, maxTokens]] : [],
      ),
    )
    const policy = createPolicy(rules, { budgets })
    const jwt = now.auth.jwt && createJwtVerifier(now.auth.jwt)
    const directory = createDirectory({
      keys,
      handles,
      jwt,
      rules,
      defaultAgent: now.auth.defaultAgent,
      credentialRequired: credentialRequired({
        required: now.auth.required,
        host: now.listen.host,
      }),
    })
    const limits = new Map(
      [...config.servers].map(([name, server]) => [name, concurrencyOf(server)]),
    )
    const gateway = createGateway({
      ledger,
      recording: { withArguments: now.audit.arguments },
      agents: directory,
      rates: ratesOf(config),
      catalog,
      policy,
      deadlines: { ms: deadlinesOf(config) },
      slots: { limitOf: (name) => limits.get(name) ?? now.limits.concurrencyPerServer },
    })
    return {
      gateway,
      catalog,
      policy,
      identify: directory.identify,
      surfaceOf: (agent) => now.agents[agent]?.surface ?? now.surface,
      pinsOf: (agent) => now.agents[agent]?.pins ?? now.pins,
      locate: (server) => locate(config.servers.get(server)),
      listMs: now.deadlines.listMs,
      countTokens: (text) => Math.ceil(text.length / 4),
      status: (agent) =>
        describeStatus(
          { config, reload: watcher.status, servers, policy, metrics, auditLog },
          agent,
        ),
      mint: (parent, { agent, ttlMs = MINT_TTL_MS, servers: only, tools }) => {
        const within = only || tools ? { servers: only, tools } : undefined
        const { secret, expiresAt } = handles.mint({ parent, agent, ttlMs, within })
        return { agent, handle: secret, expires_at: new Date(expiresAt).toISOString() }
      },
    }
  }

  /** Buckets live on over a reload, unless the limits themselves were changed. */
  function ratesOf({ settings: { limits, agents } }: Config): Rates | undefined {
    const perAgent = Object.fromEntries(
      Object.entries(agents).flatMap(([id, { ratePerMinute }]) =>
        ratePerMinute === undefined ? [] : [[id, { ratePerMinute, burst: limits.burst }]],
      ),
    )
    const wanted = { ...limits, agents: perAgent }
    const key = JSON.stringify(wanted)
    if (rates?.key !== key) rates = { key, rates: createRates(wanted) }
    return rates.rates
  }

  function announce(): void {
    for (const kind of ['tools', 'prompts', 'resources'])
      for (const listener of listeners) listener('*', `notifications/${kind}/list_changed`, {})
  }

  function detect(clues: Parameters<Backend['detect']>[0]) {
    return detectProject({ ...clues, env, cwd, exists: existsSync })
  }

  const backend: Backend = {
    info: { name: 'portolan', version: VERSION },
    capabilities: endpoint.capabilities,
    methods: new Set(FORWARDED_METHODS),
    instructions: (surface) => endpoint.instructions(surface),
    handle: async (request) => endpoint.handle(request),
    authenticate: async (caller) => world.identify(caller),
    onNotification(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async permits(caller, server) {
      if (server === '*') return true
      try {
        const agent = await world.identify(caller)
        return world.policy.server(agent, server).effect === 'allow'
      } catch {
        return false
      }
    },
    async watch(uri, caller, client) {
      const upstream = serverOfResource(uri, await world.identify(caller), world)
      await upstream.watch(uri, client)
      return () => upstream.unwatch(uri)
    },
    greet(client) {
      hearAll(world.catalog.servers.filter(isStranger), client)
    },
    release(session) {
      for (const server of world.catalog.servers) server.release(session)
    },
    detect,
  }

  const eager = settings.upstreams.start === 'eager'
  hearAll(eager ? world.catalog.servers : [], undefined)

  return {
    backend,
    metrics,
    feed,
    auditLog,
    get config() {
      return watcher.current
    },
    reload: async () => watcher.reload(),
    async close() {
      watcher.close()
      await pool.close()
      await auditLog.close()
    },
  }
}

function concurrencyOf(server: Config['servers'] extends ReadonlyMap<string, infer S> ? S : never) {
  return server.kind === 'broken' ? undefined : server.maxConcurrency
}

function countStates({ catalog }: World): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { status } of catalog.servers)
    counts.set(status.state, (counts.get(status.state) ?? 0) + 1)
  return counts
}

/** Has servers start, behind whatever else is going on. */
function hearAll(servers: readonly Upstream[], client: Client | undefined): void {
  for (const server of servers) server.live(client).catch(() => undefined)
}
