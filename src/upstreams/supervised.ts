import { askClient } from '../gateway/ask-client.ts'
import type { Client } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Listing, Upstream, UpstreamContext, UpstreamStatus } from '../gateway/upstream.ts'
import { type JsonObject, RPC, RpcError } from '../protocol/json-rpc.ts'
import type { Project } from '../protocol/service.ts'
import { BackingOff, Line } from './line.ts'
import type { Connect, Link, LinkEvents } from './link.ts'
import { EMPTY_LISTING, fetchListing } from './listing.ts'
import { marksOf } from './listing-marks.ts'
import type { ListingStore } from './listing-store.ts'
import { paramHeaders } from '../protocol/param-headers.ts'
import { TransportError } from './transport-error.ts'
import { untilAborted } from '../protocol/until-aborted.ts'
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
  #listing: Listing
  #hearing: Promise<Listing> | undefined
  #asksClients: boolean
  #inFlight = 0
  #restarts = 0
  #drainedNow: (() => void) | undefined
  #idle: NodeJS.Timeout | undefined
  #closing = false
  #retry: NodeJS.Timeout | undefined

  constructor(options: SupervisedOptions) {
    this.#options = options
    this.name = options.name
    this.kind = options.kind
    this.description = options.description
    const remembered = options.store.load()
    this.#listing = remembered?.listing ?? EMPTY_LISTING
    this.#asksClients = remembered?.asksClients ?? false
  }

  get listing(): Listing {
    return this.#listing
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
    this.#inFlight += 1
    try {
      const line = this.#lineFor(client)
      const link = line.live ?? (await untilAborted(line.link(), signal))
      if (client.logLevel !== undefined) await this.#alignLogLevel(link, client.logLevel)
      const headers = this.#mirrored(method, params)
      return await link.request(method, params, { signal, client, ...(headers && { headers }) })
    } catch (error) {
      throw signal.aborted ? error : this.#explain(error)
    } finally {
      this.#inFlight -= 1
      if (this.#inFlight === 0) this.#rest()
    }
  }

  async live(client?: Client): Promise<Listing> {
    try {
      const line = client ? this.#lineFor(client) : this.#anyLine()
      const link = await line.link()
      this.#hearing ??= this.#hear(link)
      return await this.#hearing
    } catch (error) {
      throw this.#explain(error)
    }
  }

  async refresh(): Promise<void> {
    const link = await this.#anyLine().link()
    this.#hearing = this.#hear(link)
    await this.#hearing
  }

  async watch(uri: string, client: Client): Promise<void> {
    const link = await this.#lineFor(client).link()
    await this.#watcher.watch(uri, link, client)
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
    clearTimeout(this.#idle)
    await this.#drained()
    this.#watcher.close()
    await Promise.all([...this.#lines.values()].map(async (line) => line.close()))
    this.#listeners.clear()
  }

  /** Stdio has one client only, which gets a connection in its own name. */
  #lineFor(client: Client): Line {
    if (this.#closing) throw new Error('it has been removed from the configuration')
    const own =
      client.alone ||
      this.#options.session === 'per-session' ||
      (this.#options.session === 'auto' && this.#asksClients && this.#sharedEra() !== 'modern')
    const mine = own && this.#options.session !== 'shared' && client.session !== SHARED
    return mine ? this.#line(client.session, client) : this.#line(SHARED, undefined)
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
    this.#hearing = this.#hear(link)
    this.#hearing.catch(() => undefined)
    // One connection is enough to hear of changes; a second would tell them twice.
    if (scope === SHARED || !this.#lines.has(SHARED)) this.#watcher.attach(link)
  }

  #down(error: Error, line: Line, scope: string): void {
    this.#hearing = undefined
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

  async #hear(link: Link): Promise<Listing> {
    try {
      const heard = await fetchListing(this.name, link, this.kind === 'http')
      this.#replace(heard)
      return heard
    } catch (error) {
      this.#hearing = undefined
      throw error
    }
  }

  #replace(heard: Listing): void {
    const before = this.#listing
    this.#listing = heard
    this.#save()
    if (!same(before.tools, heard.tools)) this.#emit('notifications/tools/list_changed', {})
    if (!same(before.prompts, heard.prompts)) this.#emit('notifications/prompts/list_changed', {})
    if (
      !same(before.resources, heard.resources) ||
      !same(before.resourceTemplates, heard.resourceTemplates)
    )
      this.#emit('notifications/resources/list_changed', {})
  }

  #events(scope: string): LinkEvents {
    return {
      request: async (method, params, { signal, origin }) => {
        if (method === 'ping') return {}
        if (scope === SHARED && !this.#asksClients) {
          this.#asksClients = true
          this.#save()
        }
        return askClient(origin, { method, params, signal, project: this.#options.project })
      },
      notification: (method, params, origin) => {
        const link = this.#lines.get(scope)?.live
        if (LIST_CHANGED.test(method) && link) {
          this.#hearing = this.#hear(link)
          this.#hearing.catch(() => undefined)
        } else if (method === 'notifications/resources/updated') this.#emit(method, params)
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
    const marks = marksOf(this.#listing).get(String(params['name']))
    return marks && paramHeaders(marks, params['arguments'])
  }

  #explain(error: unknown): unknown {
    if (error instanceof GatewayError || error instanceof RpcError) return error
    const reason = error instanceof Error ? error.message : String(error)
    if (error instanceof TransportError && error.status !== undefined && error.status < 500)
      return new RpcError(RPC.internalError, `Server '${this.name}': ${reason}`, undefined, {
        cause: error,
      })
    return new GatewayError('SERVER_UNAVAILABLE', `Server unavailable: '${this.name}': ${reason}`, {
      hint: 'Try again, use another server, or ask get_gateway_status what is wrong with it.',
      reason: 'server_unavailable',
      retryAfterMs: error instanceof BackingOff ? Math.ceil(error.retryAfterMs) : undefined,
      cause: error,
    })
  }

  #emit(method: string, params: JsonObject): void {
    for (const listener of this.#listeners) listener(method, params)
  }

  #save(): void {
    this.#options.store.save({ listing: this.#listing, asksClients: this.#asksClients })
  }

  #rest(): void {
    this.#drainedNow?.()
    const { idleMs } = this.#options
    if (idleMs === undefined || this.#closing) return
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      if (this.#inFlight === 0) this.#stop()
    }, idleMs)
    this.#idle.unref()
  }

  #stop(): void {
    const lines = [...this.#lines.values()]
    this.#lines.clear()
    this.#hearing = undefined
    for (const line of lines) void line.close()
  }

  async #drained(): Promise<void> {
    if (this.#inFlight === 0) return
    await new Promise<void>((resolve) => {
      this.#drainedNow = resolve
      setTimeout(resolve, this.#options.drainMs).unref()
    })
  }
}

const levels = new WeakMap<Link, string>()
function same(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}
