import { join } from 'node:path'
import type { Config } from '../../config/load.ts'
import type { Workspace } from '../../config/paths.ts'
import type { HttpServer, ServerConfig, StdioServer } from '../../config/servers/servers.ts'
import type { Settings } from '../../config/settings/settings.ts'
import type { NotificationListener, Upstream } from '../../gateway/upstream.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import { configuredSecrets } from '../../config/configured-secrets.ts'
import type { Project, Service } from '../../protocol/service.ts'
import type { Log } from '../../telemetry/log.ts'
import { digest } from '../../identity/sign-ins/stored.ts'
import { createBroken } from '../../upstreams/broken.ts'
import { erasOf } from '../../upstreams/spoken-eras.ts'
import type { Connect } from '../../upstreams/link.ts'
import { createInProcess } from '../../upstreams/in-process.ts'
import { createListingStore } from '../../upstreams/listing/listing-store.ts'
import { expose } from '../../upstreams/expose/expose.ts'
import { connectStdio } from '../../upstreams/stdio/connect-stdio.ts'
import { Supervised } from '../../upstreams/supervised.ts'
import { Personal } from '../../upstreams/personal/personal.ts'
import type { ListingStore } from '../../upstreams/listing/listing-store.ts'
import type { Environment } from '../../base/environment.ts'
import {
  type People,
  canSignIn,
  credentialsFor,
  filled,
  nameFor,
  signInFor,
  signInServers,
} from './people.ts'

/** Opens a server that lives in this process: a built-in, or an API. Loaded when first used. */
export type OpenService = (
  server: ServerConfig,
  settings: Settings,
  place: Workspace,
) => Promise<Service>

export interface PoolOptions {
  readonly log: Log
  readonly openService: (server: ServerConfig, settings: Settings) => Promise<Service>
  readonly project: () => Promise<Project>
  readonly onNotification: (
    server: string,
    ...notification: Parameters<NotificationListener>
  ) => void
  /** Called when a server was removed or replaced, once the new ones are in place. */
  readonly onRetired?: ((server: string) => void) | undefined
  /** The people in whose names servers are called; read when the first server is created. */
  readonly people: () => People
  /** Secrets that no failure of a server may show, learnt from configurations and sign-ins. */
  readonly secrets?: SecretValues
  readonly env?: Environment
}

interface Member {
  readonly config: ServerConfig
  readonly settings: string
  readonly upstream: Upstream
}

const DRAIN_MS = 30_000
/** Connections of one server beside the shared one, unless its entry has `max_connections`. */
const MAX_CONNECTIONS = 16
/** The wait before a failed server is tried again, doubling from the first to the second. */
const BACKOFF_MS = { min: 250, max: 30_000 }

/** The running servers. A reload keeps unchanged ones; the rest drain and end in the background. */
export class UpstreamPool {
  readonly #options: PoolOptions
  readonly #secrets: SecretValues
  readonly #leaving = new Set<Promise<void>>()
  #members = new Map<string, Member>()

  constructor(options: PoolOptions) {
    this.#options = options
    this.#secrets = options.secrets ?? new SecretValues()
  }

  /** Applies a configuration and returns its servers, in its order. */
  adopt(config: Pick<Config, 'servers' | 'settings'>): Upstream[] {
    const { servers, settings } = config
    this.#secrets.learn(configuredSecrets(config, this.#options.env ?? process.env))
    this.#options.people().signIns.adopt(signInServers(servers.values()))
    const before = this.#members
    const common = JSON.stringify([settings.home, settings.deadlines, settings.upstreams])
    this.#members = new Map()
    for (const [name, server] of servers) {
      if (!server.enabled) continue
      const known = before.get(name)
      const key =
        server.kind === 'builtin'
          ? common + JSON.stringify([settings[server.builtin], settings.embedding])
          : common
      const same = known !== undefined && known.config === server && known.settings === key
      const upstream = same ? known.upstream : this.#create(server, settings)
      this.#members.set(name, { config: server, settings: key, upstream })
    }
    this.#replace(before)
    return [...this.#members.values()].map(({ upstream }) => upstream)
  }

  #replace(before: ReadonlyMap<string, Member>): void {
    for (const [name, { upstream }] of before) {
      const now = this.#members.get(name)?.upstream
      if (now === upstream) continue
      this.#retire(upstream, now)
      this.#options.onRetired?.(name)
    }
  }

  /** Makes the next `adopt` replace a server, even if its configuration is the same. */
  renew(name: string): void {
    const member = this.#members.get(name)
    if (member) this.#members.set(name, { ...member, settings: '' })
  }

  async close(): Promise<void> {
    for (const { upstream } of this.#members.values()) this.#retire(upstream)
    this.#members.clear()
    await Promise.all(this.#leaving)
  }

  #retire(upstream: Upstream, successor?: Upstream): void {
    const leaving = upstream.close(successor).catch((error: unknown) => {
      this.#options.log.warn(`[${upstream.name}] did not close`, { error: String(error) })
    })
    this.#leaving.add(leaving)
    void leaving.finally(() => this.#leaving.delete(leaving))
  }

  #create(config: ServerConfig, settings: Settings): Upstream {
    const choices = config.kind === 'broken' ? [] : [config.tools, config.changedTools]
    const upstream = expose(this.#make(config, settings), { choices, secrets: this.#secrets })
    upstream.onNotification((...notification) =>
      this.#options.onNotification(config.name, ...notification),
    )
    return upstream
  }

  #make(config: ServerConfig, settings: Settings): Upstream {
    const { name, description } = config
    const { openService } = this.#options
    if (config.kind === 'broken') return createBroken(name, description, config.error)
    if (config.kind === 'builtin' || config.kind === 'openapi') {
      const kind = config.kind === 'openapi' ? 'openapi' : 'in-process'
      return createInProcess({
        name,
        kind,
        description,
        open: async () => openService(config, settings),
      })
    }
    const listings = join(settings.home, 'cache', 'listings')
    const isPersonal = config.userKeys.length > 0
    const open = (person: string | undefined, store: ListingStore) =>
      this.#supervise(config, settings, { person, store })
    if (!isPersonal && !canSignIn(config))
      return open(undefined, createListingStore(listings, name, config))
    return new Personal({
      name,
      kind: config.kind,
      description,
      open,
      store: (person) =>
        person === undefined
          ? createListingStore(listings, name, { config, of: 'everybody' })
          : createListingStore(join(listings, digest(person)), name, config),
      signIn: (person) => signInFor(config, person, this.#options.people()),
      nameFor: (person) => nameFor(config, person),
      isPersonal,
    })
  }

  #supervise(
    config: StdioServer | HttpServer,
    settings: Settings,
    { person, store }: { readonly person: string | undefined; readonly store: ListingStore },
  ): Upstream {
    const { name } = config
    const { log, project } = this.#options
    const { idleMs, releaseMs } = settings.upstreams
    return new Supervised({
      name,
      kind: config.kind,
      description: config.description,
      connect: this.#connect(config, settings, person),
      eras: erasOf(config.protocol),
      session: config.session,
      maxConnections: config.maxConnections ?? MAX_CONNECTIONS,
      releaseMs,
      store,
      connectMs: settings.deadlines.connectMs,
      backoffMs: BACKOFF_MS,
      drainMs: DRAIN_MS,
      // Connections of people always end when idle: most people are away at any time.
      idleMs: person === undefined ? idleMs : (idleMs ?? releaseMs),
      project,
      log: (line) => log.debug(`[${name}] ${this.#secrets.hide(line)}`),
    })
  }

  #connect(
    config: StdioServer | HttpServer,
    settings: Settings,
    person: string | undefined,
  ): Connect {
    const { maxFrameBytes } = settings.upstreams
    const people = () => this.#options.people()
    if (config.kind === 'stdio') {
      if (config.userKeys.length === 0)
        return connectStdio({ ...config, cwd: config.cwd, maxFrameBytes })
      return async (...args) => {
        const env = await filled(config.env, config, person, people().keys)
        return connectStdio({ ...config, env, cwd: config.cwd, maxFrameBytes })(...args)
      }
    }
    const { protocol } = config
    const url = new URL(config.url)
    const saysSse = config.transport === 'sse'
    const hide = (text: string) => this.#secrets.hide(text)
    return async (...args) => {
      // Loads the HTTP client, which only servers at a URL need.
      const { connectHttp } = await import('../../upstreams/http/connect-http.ts')
      const headers = lowerCased(await filled(config.headers, config, person, people().keys))
      const credentials = credentialsFor(config, person, people())
      const options = { url, headers, protocol, credentials, hide, saysSse, maxFrameBytes }
      return connectHttp(options)(...args)
    }
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}
