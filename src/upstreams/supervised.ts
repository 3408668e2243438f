import type { Client } from '../gateway/call.ts'
import type {
  Diagnostics,
  ListOptions,
  Listing,
  SessionEvent,
  Upstream,
  UpstreamContext,
  UpstreamStatus,
} from '../gateway/upstream.ts'
import type { JsonObject } from '../base/json/json.ts'
import { alignLogLevel } from './align-log-level.ts'
import { listingVariant } from './listing/listing-variant.ts'
import { explainFailure } from './failures.ts'
import type { Connection } from './connections/connection.ts'
import { Connections } from './connections/connections.ts'
import { ServerOutput } from './output/server-output.ts'
import { InUse } from './connections/in-use.ts'
import { KnownListing } from './listing/known-listing.ts'
import { Line, REMOVED } from './connections/line.ts'
import { ClientEras } from './connections/client-eras.ts'
import { ConnectionChoice } from './connections/connection-choice.ts'
import { type OpenedLink, UPDATED, createLinkEvents } from './link-events.ts'
import { type Link, type LinkEvents, inSession } from './link.ts'
import { connectionLost, connectionOfTask, keepingTask } from './connections/task-connections.ts'
import { type Scope, Scopes, isCommon, lasts } from './connections/scopes.ts'
import { untilAborted, withTimeout } from '../base/flow/time.ts'
import type { SupervisedOptions } from './supervised-options.ts'
import { Watchers } from './watchers.ts'

/** A server that is slower to list its tools gets its calls without. */
const LISTED_MS = 5_000

const ignore = () => undefined

type Listener = (method: string, params: JsonObject) => void

/** A server behind connections: started on demand, restarted when lost, listed while down. */
export class Supervised implements Upstream {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly description: string | undefined
  #restarts = 0
  readonly #options: SupervisedOptions
  readonly #connections: Connections
  readonly #scopes: Scopes
  readonly #choice: ConnectionChoice
  readonly #listeners = new Set<Listener>()
  readonly #watchers = new Watchers({
    missed: (uri) => this.#emit(UPDATED, { uri }),
    resumed: (link) => void this.#known.refresh(link).catch(() => undefined),
  })
  readonly #known: KnownListing
  readonly #variants = new WeakMap<Link, string>()
  /** Connections that were just opened, until they are listed. */
  readonly #relisting = new WeakMap<Link, Promise<void>>()
  readonly #use: InUse
  readonly #output = new ServerOutput()
  #closing = false
  /** The same server with a newer configuration, which takes the calls that have not been sent yet. */
  #successor: Upstream | undefined

  constructor(options: SupervisedOptions) {
    this.#options = options
    this.name = options.name
    this.kind = options.kind
    this.description = options.description
    const { name, kind, store, eras, idleMs } = options
    this.#use = new InUse(idleMs, () => {
      if (this.#watchers.size === 0) this.#stop()
    })
    this.#scopes = new Scopes(options.session)
    this.#connections = new Connections({
      server: name,
      max: options.maxConnections,
      waitMs: options.connectMs,
      idleMs: options.releaseMs,
      isWatched: (key) => this.#watchers.isWatching(key),
      open: (scope, owner, key) => this.#open(scope, owner, key),
    })
    this.#known = new KnownListing({
      name,
      kind,
      store,
      eras,
      changed: (method) => this.#emit(method, {}),
      log: (line) => options.log(line),
      variantOf: (link) => this.#variants.get(link),
    })
    this.#choice = new ConnectionChoice({
      kind,
      scopes: this.#scopes,
      connections: this.#connections,
      eras: new ClientEras(this.#known, this.#connections, options.session === 'shared'),
      known: this.#known,
    })
  }

  get listing(): Listing {
    return this.#successor?.listing ?? this.#known.current
  }

  listingFor(client: Client): Listing {
    return this.#successor?.listingFor?.(client) ?? this.#known.of(this.#choice.ownKey(client))
  }

  get diagnostics(): Diagnostics {
    const up = this.#connections.lines.filter(({ status: { state } }) => state === 'ready')
    return { restarts: this.#restarts, connections: up.length, output: this.#output.lines }
  }

  get status(): UpstreamStatus {
    if (this.#closing) return { state: 'closed' }
    const { status } = this.#connections
    return status.state === 'down' ? { ...status, ...this.#output.explainStart(this.name) } : status
  }

  async request(method: string, params: JsonObject, context: UpstreamContext): Promise<JsonObject> {
    if (this.#closing) return this.#replacement().request(method, params, context)
    const { signal, client, place } = context
    let connection: Connection | undefined
    let link: Link | undefined
    this.#use.begin()
    try {
      const taken = connectionOfTask(this.#connections, place) ?? this.#choice.take(context)
      connection = taken instanceof Promise ? await taken : taken
      const { line } = connection
      const send = (on: Link) => {
        const headers = this.#known.mirroredHeaders(method, params)
        return on.request(method, params, { signal, client, headers })
      }
      const sent = inSession(() => {
        if (link && place?.connection !== undefined) throw connectionLost()
        link = line.live
        // Not `async` where nothing has to be waited for, because every call passes here.
        const isListed = !link || !this.#relisting.has(link)
        if (link && isListed && client.logLevel === undefined) return send(link)
        return untilAborted(line.link(), signal).then(async (up) => {
          link = up
          await this.#confirmed(up, context)
          if (client.logLevel !== undefined) await alignLogLevel(up, client.logLevel, signal)
          return send(up)
        })
      })
      const exchange = { kind: this.kind, method, params, sent, place }
      const result = await keepingTask(connection, exchange)
      if (!link) return result
      this.#known.sawAnswer(method, link, client)
      return this.#known.inListedForm(method, params, link, result)
    } catch (error) {
      if (signal.aborted) throw error
      // A request that was not sent goes to the successor, if there is one.
      if (link || !this.#successor) throw this.#explain(error)
    } finally {
      if (connection) this.#connections.leave(connection)
      this.#use.end()
    }
    return this.#replacement().request(method, params, context)
  }

  async list(how: ListOptions = {}): Promise<Listing> {
    const { client, again } = how
    try {
      if (this.#closing) return await this.#replacement().list(how)
      const key = this.#choice.ownKey(client)
      await inSession(async () => {
        const own = this.#connections.liveOf(key)
        if (own) await this.#known.refresh(own, key)
      })
      const line = this.#choice.common(client)
      await inSession(async () => {
        const link = await line.link()
        await (again ? this.#known.refresh(link) : this.#known.list(link))
      })
      return this.#known.of(key)
    } catch (error) {
      if (this.#closing && this.#successor) return this.#successor.list(how)
      throw this.#explain(error)
    }
  }

  async watch(uri: string, client: Client): Promise<() => void> {
    if (this.#closing) return this.#replacement().watch(uri, client)
    try {
      const { key, line } = await this.#choice.standing(client)
      const standing = { key, live: () => line.live, link: async () => line.link() }
      const unwatch = await inSession(async () => this.#watchers.watch(uri, client, standing))
      return () => {
        unwatch()
        // Starts the idle timer.
        this.#use.begin()
        this.#use.end()
      }
    } catch (error) {
      throw this.#explain(error)
    }
  }

  onNotification(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  sessionChanged(session: string, event: SessionEvent): void {
    if (event === 'suspended') this.#connections.release(session, 'idle')
    if (event === 'roots_changed') {
      // A shared connection gets no message: a server that asks there outside of calls would not find
      // the client. The session gets a connection to itself instead.
      if (this.#known.asksClients) this.#scopes.unshare(session)
      this.#connections.notify(session, 'notifications/roots/list_changed')
    }
    if (event !== 'ended') return
    this.#scopes.release(session)
    this.#known.forget(session)
    for (const key of this.#connections.release(session, 'all')) {
      this.#watchers.forget(key)
      this.#known.forget(key)
    }
  }

  async close(successor?: Upstream): Promise<void> {
    this.#closing = true
    this.#successor = successor
    for (const line of this.#connections.lines) line.stopReopening()
    // Calls that wait for a start have not been sent: the successor takes them at once.
    if (successor) this.#connections.endStarting()
    const handedOver = successor && this.#watchers.handOver(successor)
    await this.#use.close(this.#options.drainMs)
    await handedOver
    this.#watchers.close()
    await this.#connections.close()
    this.#listeners.clear()
  }

  /** Waits until a connection that was just opened is listed, and checks what it lists now. */
  async #confirmed(link: Link, { signal, confirm }: UpstreamContext): Promise<void> {
    const listed = this.#relisting.get(link)
    if (!listed || !confirm) return
    const inTime = withTimeout(listed, LISTED_MS, () => undefined)
    await untilAborted(inTime, signal)
    confirm()
  }

  #replacement(): Upstream {
    if (this.#successor) return this.#successor
    throw explainFailure(this.name, new Error(REMOVED))
  }

  #open(scope: Scope, owner: Client | undefined, key: string): Line {
    const { connect, connectMs, backoffMs } = this.#options
    const opened = (): OpenedLink => ({
      line,
      scope,
      key: lasts(scope) ? key : '',
      ownKey: isCommon(scope, owner) ? undefined : key,
    })
    const line: Line = new Line({
      connect: async (signal) => {
        this.#output.starts()
        const era = line.era ?? scope.era
        const link = await connect(this.#events(opened), { owner, era, signal })
        this.#known.sawEra(era, link)
        this.#variants.set(link, listingVariant(link.era, owner, this.#options.person))
        return link
      },
      connectMs,
      backoffMs,
      up: (link) => this.#up(link, opened()),
      down: (error) => this.#down(error, opened()),
    })
    return line
  }

  #up(link: Link, { line, scope, key, ownKey }: OpenedLink): void {
    this.#output.started()
    // One connection is enough to learn of changes of lists; a second would report them twice.
    const { shared } = this.#connections
    const lists = shared === line || !shared?.live
    const relists = ownKey === undefined ? lists : this.#known.hasOwn(ownKey)
    if (relists) {
      const listed = this.#known.refresh(link, ownKey).then(ignore, ignore)
      this.#relisting.set(link, listed)
      void listed.then(() => this.#relisting.delete(link))
    }
    if (lists || lasts(scope)) this.#watchers.attach(key, link, lists)
  }

  #down(error: Error, { line, scope, key }: OpenedLink): void {
    this.#known.lost()
    if (scope.kind === 'shared') this.#scopes.sharedLost(line.era ?? scope.era)
    if (lasts(scope)) this.#watchers.detach(key)
    this.#options.log(`down: ${error.message}`)
    if (this.#closing || line.status.state !== 'down') return
    this.#restarts += 1
    // A connection that no client owns is opened again by the next call that needs it.
    if (!lasts(scope)) return
    const isSpare = scope.kind === 'shared' && line !== this.#connections.shared
    if (isSpare && !this.#watchers.isWatching(key)) return
    line.reopen(Math.max(this.#options.backoffMs.min, line.waitMs))
  }

  #events(opened: () => OpenedLink): LinkEvents {
    return createLinkEvents({
      known: this.#known,
      relist: async () => {
        const { line, ownKey } = opened()
        if (line.live) await this.#known.refresh(line.live, ownKey)
      },
      project: this.#options.project,
      live: () => opened().line.live,
      emit: (method, params) => this.#emit(method, params),
      acknowledged: (link) => this.#watchers.acknowledged(opened().key, link),
      log: (line, advice) => {
        this.#output.add(line, advice)
        for (const said of [line, advice ?? []].flat()) this.#options.log(said)
      },
    })
  }

  #explain(error: unknown): unknown {
    return explainFailure(this.name, error, this.#output.explainStart(this.name))
  }

  #emit(method: string, params: JsonObject): void {
    for (const listener of this.#listeners) listener(method, params)
  }

  #stop(): void {
    this.#known.lost()
    this.#scopes.sharedLost()
    void this.#connections.close()
  }
}
