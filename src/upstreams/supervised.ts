import { askClient } from '../gateway/ask-client.ts'
import type { Client } from '../gateway/call.ts'
import type { Listing, Upstream, UpstreamContext, UpstreamStatus } from '../gateway/upstream.ts'
import type { JsonObject } from '../base/json.ts'
import type { Project } from '../protocol/service.ts'
import { explainFailure } from './explain-failure.ts'
import { InUse } from './in-use.ts'
import { KnownListing } from './known-listing.ts'
import { Leases } from './leases.ts'
import { BackingOff, Line } from './line.ts'
import type { Connect, Link, LinkEvents } from './link.ts'
import { marksOf } from './listing-marks.ts'
import type { ListingStore } from './listing-store.ts'
import { paramHeaders } from '../protocol/param-headers.ts'
import { untilAborted } from '../base/time.ts'
import { Watcher } from './watcher.ts'

export interface SupervisedOptions {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly description: string | undefined
  readonly connect: Connect
  readonly session: 'auto' | 'shared' | 'per-session'
  readonly store: ListingStore
  readonly connectMs: number
  readonly backoffMs: { readonly min: number; readonly max: number }
  readonly drainMs: number
  /** Silence after which the server is stopped until it is needed again. */
  readonly idleMs: number | undefined
  /** Where work is done when no client says otherwise. */
  readonly project: () => Promise<Project>
  log(line: string): void
}

type Listener = (method: string, params: JsonObject) => void

const SHARED = ''
const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/

/** A server behind a connection: started when needed, restarted when lost, remembered when down. */
export class Supervised implements Upstream {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly description: string | undefined
  readonly #options: SupervisedOptions
  readonly #lines = new Map<string, Line>()
  readonly #listeners = new Set<Listener>()
  readonly #watcher = new Watcher()
  readonly #leases = new Leases()
  readonly #known: KnownListing
  readonly #use: InUse
  #restarts = 0
  #closing = false
  #retry: NodeJS.Timeout | undefined

  constructor(options: SupervisedOptions) {
    this.#options = options
    this.name = options.name
    this.kind = options.kind
    this.description = options.description
    const { name, kind, store, idleMs } = options
    this.#use = new InUse(idleMs, () => this.#stop())
    this.#known = new KnownListing({
      name,
      kind,
      store,
      changed: (method) => this.#emit(method, {}),
    })
  }

  get listing(): Listing {
    return this.#known.current
  }

  get restarts(): number {
    return this.#restarts
  }

  get status(): UpstreamStatus {
    if (this.#closing) return { state: 'closed' }
    const states = [...this.#lines.values()].map((line) => line.status)
    return (
      states.find(({ state }) => state === 'ready') ??
      states.find(({ state }) => state === 'starting') ??
      states.find(({ state }) => state === 'down') ?? { state: 'idle' }
    )
  }

  async request(
    method: string,
    params: JsonObject,
    { signal, client }: UpstreamContext,
  ): Promise<JsonObject> {
    this.#use.begin()
    const lease = this.#lease(client)
    try {
      const line = lease === undefined ? this.#lineFor(client) : this.#line(lease, undefined)
      const link = line.live ?? (await untilAborted(line.link(), signal))
      if (client.logLevel !== undefined) await this.#alignLogLevel(link, client.logLevel)
      const headers = this.#mirrored(method, params)
      return await link.request(method, params, { signal, client, headers })
    } catch (error) {
      throw signal.aborted ? error : explainFailure(this.name, error)
    } finally {
      if (lease !== undefined) this.#endLease(lease)
      this.#use.end()
    }
  }

  async live(client?: Client): Promise<Listing> {
    try {
      const line = client ? this.#lineFor(client) : this.#anyLine()
      const link = await line.link()
      return await this.#known.heard(link)
    } catch (error) {
      throw explainFailure(this.name, error)
    }
  }

  async refresh(): Promise<void> {
    const link = await this.#anyLine().link()
    await this.#known.hear(link)
  }

  async watch(uri: string, client: Client): Promise<void> {
    try {
      const link = await this.#lineFor(client).link()
      await this.#watcher.watch(uri, link, client)
    } catch (error) {
      throw explainFailure(this.name, error)
    }
  }

  unwatch(uri: string): void {
    this.#watcher.unwatch(uri, this.#anyLine().live)
  }

  onNotification(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  release(session: string): void {
    const line = this.#lines.get(session)
    if (session === SHARED || !line) return
    this.#lines.delete(session)
    void line.close()
  }

  async close(): Promise<void> {
    this.#closing = true
    clearTimeout(this.#retry)
    await this.#use.close(this.#options.drainMs)
    this.#watcher.close()
    await Promise.all([...this.#lines.values()].map(async (line) => line.close()))
    this.#listeners.clear()
  }

  #lineFor(client: Client): Line {
    if (this.#closing) throw new Error('it has been removed from the configuration')
    const mine = this.#isApart(client) && client.session !== SHARED
    return mine ? this.#line(client.session, client) : this.#line(SHARED, undefined)
  }

  /** Stdio has one client only, which gets a connection in its own name. */
  #isApart({ alone }: Client): boolean {
    const { session } = this.#options
    if (session === 'shared') return false
    return (
      alone ||
      session === 'per-session' ||
      (this.#known.asksClients && this.#sharedEra() !== 'modern')
    )
  }

  /**
   * A client without a session cannot have a connection for longer than a call. Where it needs one
   * to itself, it gets the shared one, or one of its own while that is taken.
   */
  #lease(client: Client): string | undefined {
    return client.session === SHARED && this.#isApart(client)
      ? this.#leases.take(SHARED)
      : undefined
  }

  #endLease(lease: string): void {
    this.#leases.end(lease)
    this.release(lease)
  }

  #anyLine(): Line {
    const [first] = this.#lines.values()
    return this.#lines.get(SHARED) ?? first ?? this.#line(SHARED, undefined)
  }

  #sharedEra(): Link['era'] | undefined {
    return this.#lines.get(SHARED)?.live?.era
  }

  #line(scope: string, owner: Client | undefined): Line {
    const existing = this.#lines.get(scope)
    if (existing) return existing
    const { connect, connectMs, backoffMs } = this.#options
    const line: Line = new Line({
      connect: async (signal) => connect(this.#events(scope), owner, signal),
      connectMs,
      backoffMs,
      up: (link) => this.#up(link, scope),
      down: (error) => this.#down(error, line, scope),
    })
    this.#lines.set(scope, line)
    return line
  }

  #up(link: Link, scope: string): void {
    this.#known.hear(link).catch(() => undefined)
    // One connection is enough to hear of changes; a second would tell them twice.
    if (scope === SHARED || !this.#lines.has(SHARED)) this.#watcher.attach(link)
  }

  #down(error: Error, line: Line, scope: string): void {
    this.#known.lost()
    this.#options.log(`down: ${error.message}`)
    if (this.#closing || this.#lines.get(scope) !== line || line.status.state !== 'down') return
    this.#restarts += 1
    this.#retryLater(line, Math.max(this.#options.backoffMs.min, line.status.retryAt - Date.now()))
  }

  #retryLater(line: Line, pauseMs: number): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      line.link().catch((error: unknown) => {
        // Timers and the clock may differ by a millisecond: then it was too early.
        if (error instanceof BackingOff) this.#retryLater(line, error.retryAfterMs + 1)
      })
    }, pauseMs)
    this.#retry.unref()
  }

  #events(scope: string): LinkEvents {
    return {
      request: async (method, params, { signal, origin }) => {
        if (method === 'ping') return {}
        if (scope === SHARED) this.#known.sawQuestion()
        return askClient(await origin(), { method, params, signal, project: this.#options.project })
      },
      notification: (method, params, origin) => {
        const link = this.#lines.get(scope)?.live
        if (LIST_CHANGED.test(method) && link) this.#known.hear(link).catch(() => undefined)
        else if (method === 'notifications/resources/updated') this.#emit(method, params)
        else if (!method.startsWith('notifications/subscriptions/')) {
          if (origin) origin.notify(method, params)
          else this.#emit(method, params)
        }
      },
      log: (line) => this.#options.log(line),
    }
  }

  async #alignLogLevel(link: Link, level: string): Promise<void> {
    if (link.era !== 'legacy' || link.capabilities['logging'] === undefined) return
    if (levels.get(link) === level) return
    levels.set(link, level)
    await link.request('logging/setLevel', { level }, {}).catch(() => undefined)
  }

  #mirrored(method: string, params: JsonObject): Record<string, string> | undefined {
    if (this.kind !== 'http' || method !== 'tools/call') return undefined
    const marks = marksOf(this.#known.current).get(String(params['name']))
    return marks && paramHeaders(marks, params['arguments'])
  }

  #emit(method: string, params: JsonObject): void {
    for (const listener of this.#listeners) listener(method, params)
  }

  #stop(): void {
    const lines = [...this.#lines.values()]
    this.#lines.clear()
    this.#known.lost()
    for (const line of lines) void line.close()
  }
}

const levels = new WeakMap<Link, string>()
