import { join } from 'node:path'
import type { Config } from '../../config/load.ts'
import type { Workspace } from '../../config/paths.ts'
import type {
  HttpServer,
  ServerConfig,
  ServerOrigin,
  StdioServer,
} from '../../config/servers/servers.ts'
import type { Settings } from '../../config/settings/settings.ts'
import { type NotificationListener, type Upstream, stateKeyOf } from '../../gateway/upstream.ts'
import type { SecretValues } from '../../base/secrets/secret-values.ts'
import { configuredSecrets } from '../../config/configured-secrets.ts'
import type { Project, Service } from '../../protocol/service.ts'
import { digest } from '../../identity/sign-ins/stored.ts'
import { createBroken } from '../../upstreams/broken.ts'
import { erasOf } from '../../upstreams/spoken-eras.ts'
import type { Connect } from '../../upstreams/link.ts'
import { createInProcess } from '../../upstreams/in-process.ts'
import { createListingStore } from '../../upstreams/listing/listing-store.ts'
import type { DriftGuard } from '../../upstreams/drift/drift-guard.ts'
import { expose } from '../../upstreams/expose/expose.ts'
import type { Shape } from '../../upstreams/expose/reshape.ts'
import { Supervised } from '../../upstreams/supervised.ts'
import { Personal } from '../../upstreams/personal/personal.ts'
import type { ListingStore } from '../../upstreams/listing/listing-store.ts'
import { findProgram } from '../../base/files/find-program.ts'
import { getOrMake } from '../../base/maps.ts'
import { type GuardOptions, createGuard } from './create-guard.ts'
import { connectProgram } from './connect-program.ts'
import { connectUrl } from './connect-url.ts'
import type { ServerTape } from '../tapes/tape-run.ts'
import { apart, idOf, inFolder } from './identity.ts'
import { type SecretReader, secretReaderFor } from './secret-reader.ts'
import { secretReferencesIn } from '../../config/secrets/secret-references.ts'
import {
  type People,
  canSignIn,
  filledValues,
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

export interface PoolOptions extends Omit<GuardOptions, 'home' | 'origin' | 'otherTools'> {
  readonly openService: OpenService
  /** Called when no folder uses a server any more, once the new ones are in place. */
  readonly onRetired?: ((id: string) => void) | undefined
  readonly people: People
  /** Records servers, or answers in their place; undefined for servers as they are. */
  readonly tape?: ServerTape | undefined
  /** Secrets that no failure of a server may show, learnt from configurations and sign-ins. */
  readonly secrets: SecretValues
}

/** A folder that uses servers of the pool. */
export interface PoolUser {
  /** Tells what only this folder may use from what others have; undefined for the main folder. */
  readonly id?: string | undefined
  readonly place: Workspace
  readonly project: () => Promise<Project>
  readonly onNotification: (
    server: string,
    ...notification: Parameters<NotificationListener>
  ) => void
  /** Has the folder adopt its configuration again, as a server that it shares is to be replaced. */
  readonly rebuild: () => void
}

/** A running server. Folders that share it may show its tools in different ways. */
interface Member {
  readonly key: string
  readonly id: string
  readonly config: ServerConfig
  readonly server: Upstream
  readonly users: Set<PoolUser>
}

/** A server as the entry of a folder shows it. */
interface ShownServer {
  readonly member: Member
  /** What the entry says about tools, and what was accepted of them where it is, as text. */
  readonly shape: string
  readonly upstream: Upstream
  readonly guard: DriftGuard | undefined
}

/** What an entry says of its server beside how it is started. */
interface ShownEntry {
  readonly shape: Shape
  readonly origin: ServerOrigin | undefined
  readonly home: string
}

interface Use {
  servers: ReadonlyMap<string, ShownServer>
  /** Servers that others go on using, where sessions of this folder may have connections. */
  readonly left: Map<Member, Upstream>
}

/** What a server is created from: its entry as the first folder that uses it has it. */
interface NewServer<Entry = ServerConfig> {
  readonly id: string
  readonly config: Entry
  readonly settings: Settings
  readonly user: PoolUser
  readonly read: SecretReader
}

const NOT_STORED: ListingStore = { load: () => undefined, save: () => undefined }

const DRAIN_MS = 30_000
/** Connections of one server beside the shared one, unless its entry has `max_connections`. */
const MAX_CONNECTIONS = 16
/** The wait before a failed server is tried again, doubling from the first to the second. */
const BACKOFF_MS = { min: 250, max: 30_000 }

/**
 * The running servers of all folders. Folders whose entries are equal, with all variables filled in,
 * share a server. A reload keeps unchanged ones; those that no folder uses any more drain and end in
 * the background.
 */
export class UpstreamPool {
  readonly #options: PoolOptions
  readonly #leaving = new Set<Promise<void>>()
  readonly #members = new Map<string, Member>()
  readonly #uses = new Map<PoolUser, Use>()

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Applies the configuration of a folder and returns its servers, in its order. */
  adopt(user: PoolUser, config: Pick<Config, 'servers' | 'settings'>): Upstream[] {
    const { servers, settings } = config
    this.#options.secrets.learn(configuredSecrets(config, user.place.env))
    const use = getOrMake(this.#uses, user, (): Use => ({ servers: new Map(), left: new Map() }))
    const before = use.servers
    const now = new Map<string, ShownServer>()
    for (const [name, server] of servers) {
      if (!server.enabled) continue
      const { shape, origin, rest } = apart(server)
      const member = this.#memberFor(user, rest, settings)
      const shown = this.#show(member, { shape, origin, home: settings.home })
      member.users.add(user)
      use.left.delete(member)
      now.set(name, shown)
    }
    use.servers = now
    this.#adoptSignIns()
    for (const [name, shown] of before)
      if (now.get(name)?.member !== shown.member) void this.#leave(shown, user, now.get(name))
    return [...now.values()].map(({ upstream }) => upstream)
  }

  /** Returns what holds changes of a server of a folder; undefined for one in this process. */
  guardOf(user: PoolUser, name: string): DriftGuard | undefined {
    return this.#uses.get(user)?.servers.get(name)?.guard
  }

  /** Returns the servers that a folder has left to others, which its sessions may still know. */
  leftBy(user: PoolUser): Upstream[] {
    return [...(this.#uses.get(user)?.left.values() ?? [])]
  }

  /** Replaces a server for all folders that use it, even if its configuration is the same. */
  renew(user: PoolUser, name: string): void {
    const member = this.#uses.get(user)?.servers.get(name)?.member
    if (!member) return
    this.#members.delete(member.key)
    for (const other of member.users) if (other !== user) other.rebuild()
  }

  /** Closes the servers that only this folder used. */
  async release(user: PoolUser): Promise<void> {
    const use = this.#uses.get(user)
    this.#uses.delete(user)
    const leaving = [...(use?.servers.values() ?? [])].map(async (shown) =>
      this.#leave(shown, user),
    )
    this.#adoptSignIns()
    await Promise.all(leaving)
  }

  /** Resolves when every server that was left has ended. */
  async close(): Promise<void> {
    await Promise.all(this.#leaving)
  }

  #memberFor(user: PoolUser, server: ServerConfig, settings: Settings): Member {
    const config = inFolder(server, user)
    const id = idOf(config, user)
    const key = JSON.stringify([
      id,
      [settings.home, settings.deadlines, settings.upstreams],
      config.kind === 'builtin' && [settings[config.builtin], settings.embedding],
      secretReferencesIn(config).length > 0 && settings.secrets,
      config.kind === 'stdio' && (findProgram(config.command, user.place.env) ?? config.command),
    ])
    return getOrMake(this.#members, key, () => {
      const users = new Set<PoolUser>()
      const { secrets } = this.#options
      const read = secretReaderFor(config.name, { settings, place: user.place, secrets })
      const created = this.#create({ id, config, settings, user, read }, users)
      return { key, id, config, users, server: created }
    })
  }

  /** Returns a server as an entry shows it: the same object where several entries say the same. */
  #show(member: Member, entry: ShownEntry): ShownServer {
    const { id, server, users, config } = member
    const text = JSON.stringify(entry)
    const { name } = config
    for (const user of users) {
      const known = this.#uses.get(user)?.servers.get(name)
      if (known?.member === member && known.shape === text) return known
    }
    const { secrets, people } = this.#options
    const fillKeys: Upstream['fillKeys'] = async (values, person) =>
      filledValues(values, { server: name, person, keys: people.keys })
    const otherTools = () => this.#toolsBeside(name, users)
    const guard = createGuard(config, { ...this.#options, ...entry, otherTools })
    guard?.onChange(() => {
      for (const user of users) user.onNotification(name, 'notifications/tools/list_changed', {})
    })
    const options = { id, guard, secrets, fillKeys, ...entry.shape }
    return { member, shape: text, guard, upstream: expose(server, options) }
  }

  /** Returns the tools of the other servers of some folders, as far as they are known. */
  #toolsBeside(name: string, users: ReadonlySet<PoolUser>): ReadonlyMap<string, readonly string[]> {
    const servers = [...users].flatMap((user) => [...(this.#uses.get(user)?.servers ?? [])])
    const others = servers.filter(([other, { guard }]) => other !== name && guard)
    return new Map(others.map(([other, { guard }]) => [other, guard?.toolNames ?? []]))
  }

  /** Takes a folder off a server, which ends with its last one. */
  async #leave(shown: ShownServer, user: PoolUser, successor?: ShownServer): Promise<void> {
    const { member, upstream } = shown
    const { key, users } = member
    users.delete(user)
    if (users.size > 0) {
      this.#uses.get(user)?.left.set(member, upstream)
      return
    }
    if (this.#members.get(key) === member) this.#members.delete(key)
    for (const { left } of this.#uses.values()) left.delete(member)
    const leaving = upstream.close(successor?.upstream).catch((error: unknown) => {
      this.#options.log.warn(`[${upstream.name}] did not close`, { error: String(error) })
    })
    this.#leaving.add(leaving)
    this.#options.onRetired?.(stateKeyOf(upstream))
    await leaving
    this.#leaving.delete(leaving)
  }

  #adoptSignIns(): void {
    const configs = [...this.#members.values()].map(({ config }) => config)
    this.#options.people.signIns.adopt(signInServers(configs))
  }

  #create(server: NewServer, users: ReadonlySet<PoolUser>): Upstream {
    const { id, config } = server
    const { tape } = this.#options
    const upstream = tape ? tape.serverOf(config, () => this.#make(server)) : this.#make(server)
    expose(upstream, { id }).onNotification((...notification) => {
      for (const user of users) user.onNotification(config.name, ...notification)
    })
    return upstream
  }

  #make(server: NewServer): Upstream {
    const { config, settings, user, read } = server
    const { name, description } = config
    const { openService } = this.#options
    if (config.kind === 'broken') return createBroken(name, description, config.error)
    if (config.kind === 'builtin' || config.kind === 'openapi') {
      const kind = config.kind === 'openapi' ? 'openapi' : 'in-process'
      return createInProcess({
        name,
        kind,
        description,
        open: async () => openService(await read(config), settings, user.place),
      })
    }
    const listings = join(settings.home, 'cache', 'listings')
    const isPersonal = config.userKeys.length > 0
    // What nobody has accepted must not count as known later.
    const stored = this.#options.isUnguarded ? () => NOT_STORED : createListingStore
    const open = (person: string | undefined, store: ListingStore) =>
      this.#supervise({ ...server, config }, { person, store })
    if (!isPersonal && !canSignIn(config)) return open(undefined, stored(listings, name, config))
    return new Personal({
      name,
      kind: config.kind,
      description,
      open,
      store: (person) =>
        person === undefined
          ? stored(listings, name, { config, of: 'everybody' })
          : stored(join(listings, digest(person)), name, config),
      signIn: (person) => signInFor(config, person, this.#options.people),
      nameFor: (person) => nameFor(config, person),
      isPersonal,
    })
  }

  #supervise(
    server: NewServer<StdioServer | HttpServer>,
    { person, store }: { readonly person: string | undefined; readonly store: ListingStore },
  ): Upstream {
    const { config, settings, user } = server
    const { name } = config
    const { log, secrets } = this.#options
    const { idleMs, releaseMs } = settings.upstreams
    return new Supervised({
      name,
      kind: config.kind,
      description: config.description,
      connect: this.#connect(server, person),
      eras: erasOf(config.protocol),
      session: config.session,
      maxConnections: config.maxConnections ?? MAX_CONNECTIONS,
      releaseMs,
      store,
      connectMs: settings.deadlines.connectMs,
      backoffMs: BACKOFF_MS,
      drainMs: DRAIN_MS,
      person: person === undefined ? undefined : digest(person),
      // Connections of people always end when idle: most people are away at any time.
      idleMs: person === undefined ? idleMs : (idleMs ?? releaseMs),
      project: user.project,
      log: (line) => log.debug(`[${name}] ${secrets.hide(line)}`),
    })
  }

  #connect(
    { config, settings, user, read }: NewServer<StdioServer | HttpServer>,
    person: string | undefined,
  ): Connect {
    const { people, secrets } = this.#options
    return config.kind === 'stdio'
      ? connectProgram({ config, settings, user, read, person, people })
      : connectUrl({ config, settings, read, person, people, secrets })
  }
}
