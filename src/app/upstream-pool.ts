import { join } from 'node:path'
import type { Config } from '../config/load.ts'
import type { HttpServer, ServerConfig } from '../config/servers/servers.ts'
import type { Settings } from '../config/settings/settings.ts'
import type { Upstream } from '../gateway/upstream.ts'
import type { JsonObject } from '../base/json.ts'
import { SecretValues } from '../base/secret-values.ts'
import { configuredSecrets } from '../config/secrets/configured-secrets.ts'
import type { Project, Service } from '../protocol/service.ts'
import type { Log } from '../telemetry/log.ts'
import { createBroken } from '../upstreams/broken.ts'
import { erasOf } from '../upstreams/eras.ts'
import { hideSecrets } from '../upstreams/hide-secrets.ts'
import { type HttpOptions, connectHttp } from '../upstreams/http/connect-http.ts'
import { createInProcess } from '../upstreams/in-process.ts'
import { createListingStore } from '../upstreams/listing/listing-store.ts'
import { createOAuth } from '../upstreams/oauth/oauth.ts'
import { offerTools } from '../upstreams/offer-tools.ts'
import { connectStdio } from '../upstreams/stdio/connect-stdio.ts'
import { Supervised } from '../upstreams/supervised.ts'
import { type Change, type TokenStore, createTokenStore } from '../upstreams/oauth/token-store.ts'

/** Opens a server that lives in this process: a built-in, or an API. Loaded when first used. */
export type OpenService = (server: ServerConfig, settings: Settings) => Promise<Service>

export interface PoolOptions {
  readonly log: Log
  readonly openService: OpenService
  readonly project: () => Promise<Project>
  readonly onNotification: (server: string, method: string, params: JsonObject) => void
  /** Told of a server that was removed or replaced, when the new ones are in place. */
  readonly onRetired?: ((server: string) => void) | undefined
  /** Where sign-ins are kept when replicas share them; in the data folder otherwise. */
  readonly tokens?: ((url: string) => TokenStore) | undefined
  /** What no failure of a server may show: it learns what configurations hold and what sign-ins give. */
  readonly secrets?: SecretValues
  readonly env?: Readonly<Record<string, string | undefined>>
}

interface Member {
  readonly config: ServerConfig
  readonly settings: string
  readonly upstream: Upstream
}

const DRAIN_MS = 30_000

/** The running servers. A reload keeps what did not change; the rest drains and ends behind it. */
export class UpstreamPool {
  readonly #options: PoolOptions
  readonly #secrets: SecretValues
  readonly #leaving = new Set<Promise<void>>()
  #members = new Map<string, Member>()

  constructor(options: PoolOptions) {
    this.#options = options
    this.#secrets = options.secrets ?? new SecretValues()
  }

  /** The servers of a configuration, in its order. */
  adopt(config: Pick<Config, 'servers' | 'settings'>): Upstream[] {
    const { servers, settings } = config
    this.#secrets.learn(configuredSecrets(config, this.#options.env ?? process.env))
    const before = this.#members
    const common = JSON.stringify([settings.home, settings.deadlines, settings.upstreams])
    this.#members = new Map()
    for (const [name, server] of servers) {
      if (!server.enabled) continue
      const known = before.get(name)
      const key =
        server.kind === 'builtin' ? common + JSON.stringify(settings[server.builtin]) : common
      const same = known !== undefined && known.config === server && known.settings === key
      const upstream = same ? known.upstream : this.#create(server, settings)
      this.#members.set(name, { config: server, settings: key, upstream })
    }
    for (const [name, { upstream }] of before) {
      const now = this.#members.get(name)?.upstream
      if (now === upstream) continue
      this.#retire(upstream, now)
      this.#options.onRetired?.(name)
    }
    return [...this.#members.values()].map(({ upstream }) => upstream)
  }

  /** Has the next `adopt` replace a server, though its configuration is the same. */
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
    const whole = hideSecrets(this.#make(config, settings), this.#secrets)
    const choice = config.kind === 'broken' ? undefined : config.tools
    const upstream = choice ? offerTools(whole, choice) : whole
    upstream.onNotification((method, params) =>
      this.#options.onNotification(config.name, method, params),
    )
    return upstream
  }

  #make(config: ServerConfig, settings: Settings): Upstream {
    const { name, description } = config
    const { log, openService, project } = this.#options
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
    const { connectMs } = settings.deadlines
    const { restartBackoffMs, maxFrameBytes, maxConnections, releaseMs } = settings.upstreams
    const connect =
      config.kind === 'stdio'
        ? connectStdio({ ...config, cwd: config.cwd, maxFrameBytes })
        : connectHttp(this.#place(config, settings))
    return new Supervised({
      name,
      kind: config.kind,
      description,
      connect,
      eras: erasOf(config.protocol),
      session: config.session,
      maxConnections: config.maxConnections ?? maxConnections,
      releaseMs,
      store: createListingStore(join(settings.home, 'cache', 'listings'), name, config),
      connectMs,
      backoffMs: restartBackoffMs,
      drainMs: DRAIN_MS,
      idleMs: settings.upstreams.idleMs,
      project,
      log: (line) => log.debug(`[${name}] ${this.#secrets.hide(line)}`),
    })
  }

  #place({ name, url, protocol, ...config }: HttpServer, settings: Settings): HttpOptions {
    const { log, tokens } = this.#options
    const secrets = this.#secrets
    const headers = lowerCased(config.headers)
    const store = () =>
      learning(tokens?.(url) ?? createTokenStore(join(settings.home, 'oauth'), url), secrets)
    const credentials =
      'authorization' in headers
        ? undefined
        : createOAuth({ server: name, url, store: store(), notify: (text) => log.warn(text) })
    const hide = (text: string) => secrets.hide(text)
    return { url: new URL(url), headers, protocol, credentials, hide }
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

/** A store whose tokens are secrets from the moment they are read or kept. */
function learning(store: TokenStore, secrets: SecretValues): TokenStore {
  const learn = ({ tokens, client, verifier }: Change) =>
    secrets.learn(
      [tokens?.access_token, tokens?.refresh_token, client?.client_secret, verifier].filter(
        (value) => value !== undefined,
      ),
    )
  return {
    async read() {
      const kept = await store.read()
      learn(kept)
      return kept
    },
    async update(change) {
      learn(change)
      await store.update(change)
    },
    exclusively: async (work) => store.exclusively(work),
  }
}
