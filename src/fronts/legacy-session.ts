import type { Client, QuestionOptions } from '../gateway/call.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { isWanted, levelProblem } from '../protocol/log-levels.ts'
import { negotiateLegacy } from '../protocol/versions.ts'
import { type Arrival, type Backend, type Watched, toCaller } from './backend.ts'
import { Canceller, type Signal } from '../base/flow/signal.ts'
import { withTimeout } from '../base/flow/time.ts'
import type { SessionFacts } from './session-store.ts'

/** Where messages to the client go: the stream of one call, or the session's own stream. */
export interface Channel {
  request(method: string, params: JsonObject, options?: QuestionOptions): Promise<JsonObject>
  notify(method: string, params: JsonObject): void
}

/** A client answers with its roots at once or not at all; a call must not wait longer. */
const ROOTS_MS = 3_000

const CHANGING = new Set([
  'initialize',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
])

export type Facts = Omit<SessionFacts, 'fingerprint'>

/** The state that a session shares with other replicas; empty if there are none. */
export interface SessionMemory {
  /** Its state, as another replica stored it. */
  readonly facts?: Facts | undefined
  /** Called with every change. */
  readonly keep?: (facts: Facts) => Promise<void>
}

export interface LegacySessionOptions {
  readonly id: string
  readonly backend: Backend
  readonly arrival: Arrival
  /** The channel to the client outside of any call. */
  readonly standing: Channel
  readonly memory?: SessionMemory
}

/** The session of one legacy client, over any transport. */
export class LegacySession {
  readonly id: string
  readonly #backend: Backend
  readonly #standing: Channel
  /** Resources that the client subscribed to, by the URI it gave. */
  readonly #watched = new Map<string, { watched?: Watched }>()
  readonly #unsubscribe: () => void
  readonly #keep: SessionMemory['keep']
  /** No notifications are sent before the client has finished its handshake. */
  #greeted = false
  #arrival: Arrival
  #info: JsonObject | undefined
  #capabilities: JsonObject = {}
  #logLevel: string | undefined
  #roots: JsonObject | undefined
  #rootChanges = 0

  constructor({ id, backend, arrival, standing, memory = {} }: LegacySessionOptions) {
    this.id = id
    this.#keep = memory.keep
    this.#backend = backend
    this.#arrival = arrival
    this.#standing = standing
    this.#unsubscribe = backend.onNotification((server, method, params) => {
      void this.#forward(server, method, params)
    })
    if (memory.facts) this.adopt(memory.facts)
  }

  get facts(): Facts {
    return {
      info: this.#info,
      capabilities: this.#capabilities,
      logLevel: this.#logLevel,
      watched: [...this.#watched.keys()],
      greeted: this.#greeted,
    }
  }

  /** Takes over the state that another replica stored. */
  adopt({ info, capabilities, logLevel, watched, greeted }: Facts): void {
    this.#info = info
    this.#capabilities = capabilities
    this.#logLevel = logLevel
    this.#greeted ||= greeted
    // A subscription that is still pending here cannot be known to other replicas yet.
    for (const [uri, known] of this.#watched)
      if (known.watched && !watched.includes(uri)) this.#unwatch(uri)
    for (const uri of watched) void this.#watch(uri, this.#standing).catch(() => undefined)
  }

  /** Every HTTP request has its own headers and address; the latest ones apply. */
  arrive(arrival: Arrival): void {
    this.#arrival = arrival
  }

  async handle(
    method: string,
    params: JsonObject,
    { signal, channel }: { signal: Signal; channel: Channel },
  ): Promise<JsonObject> {
    if (method === 'ping') return {}
    if (method !== 'initialize') this.#greeted = true
    if (CHANGING.has(method)) {
      const answer = await this.#change(method, params, channel)
      await this.#keep?.(this.facts)
      return answer
    }
    const client = this.#client(channel)
    const caller = toCaller(this.#arrival, this.#info)
    const { surface } = this.#arrival
    return this.#backend.handle({ method, params, caller, client, signal, surface })
  }

  /** Answers a request that changes the session itself. */
  async #change(method: string, params: JsonObject, channel: Channel): Promise<JsonObject> {
    if (method === 'initialize') return this.#initialize(params)
    if (method === 'logging/setLevel') return this.#setLevel(params['level'])
    const { uri } = params
    if (typeof uri !== 'string') throw new RpcError(RPC.invalidParams, '"uri" must be a string')
    if (method === 'resources/subscribe') await this.#watch(uri, channel)
    else this.#unwatch(uri)
    return {}
  }

  async #watch(uri: string, channel: Channel): Promise<void> {
    if (this.#watched.has(uri)) return
    const subscription: { watched?: Watched } = {}
    this.#watched.set(uri, subscription)
    // Meanwhile the client may have unsubscribed, and even subscribed again.
    const isCurrent = () => this.#watched.get(uri) === subscription
    const caller = toCaller(this.#arrival, this.#info)
    try {
      const watched = await this.#backend.watch(uri, caller, this.#client(channel))
      if (isCurrent()) subscription.watched = watched
      else watched.unwatch()
    } catch (error) {
      if (isCurrent()) this.#watched.delete(uri)
      throw error
    }
  }

  #unwatch(uri: string): void {
    this.#watched.get(uri)?.watched?.unwatch()
    this.#watched.delete(uri)
  }

  /** Handles a notification; `keeps` is false if another replica received and stores it. */
  receive(method: string, keeps = true): void {
    if (method === 'notifications/initialized') {
      this.#greeted = true
      if (this.#arrival.alone) this.#backend.greeted(this.#client(this.#standing))
      if (keeps) void this.#keep?.(this.facts)
    }
    if (method === 'notifications/roots/list_changed') {
      this.#roots = undefined
      this.#rootChanges += 1
      this.#backend.rootsChanged(this.id)
    }
  }

  /** Called when the client seems to have gone; it may come back. */
  suspend(): void {
    this.#backend.suspend(this.id)
  }

  close(): void {
    this.#unsubscribe()
    for (const uri of this.#watched.keys()) this.#unwatch(uri)
    this.#backend.release(this.id)
  }

  async #initialize(params: JsonObject): Promise<JsonObject> {
    this.#capabilities = isObject(params['capabilities']) ? params['capabilities'] : {}
    this.#info = isObject(params['clientInfo']) ? params['clientInfo'] : undefined
    const { surface } = this.#arrival
    const caller = toCaller(this.#arrival, this.#info)
    const client = this.#client(this.#standing)
    const instructions = await this.#backend.instructions({ caller, client, surface })
    return {
      protocolVersion: negotiateLegacy(params['protocolVersion']),
      capabilities: await this.#backend.capabilities('legacy', caller),
      serverInfo: this.#backend.info,
      ...(instructions !== undefined && { instructions }),
    }
  }

  #setLevel(level: unknown): JsonObject {
    const problem = levelProblem(level)
    if (problem !== undefined) throw new RpcError(RPC.invalidParams, problem)
    this.#logLevel = String(level)
    return {}
  }

  #client(channel: Channel): Client {
    return {
      session: this.id,
      transport: this.#arrival.transport,
      alone: this.#arrival.alone,
      era: 'legacy',
      info: this.#info,
      capabilities: this.#capabilities,
      logLevel: this.#logLevel,
      headers: this.#arrival.headers,
      request: async (...args) => channel.request(...args),
      notify: (method, params) => {
        if (isWanted(method, params['level'], this.#logLevel)) channel.notify(method, params)
      },
      project: async () => {
        const roots = await this.#askRoots(channel)
        return this.#backend.detect({ roots, query: this.#arrival.projectPath })
      },
    }
  }

  /**
   * Asks the client for its roots. Only a valid answer is stored, and only if the client announces
   * changes of its roots. A failed or late answer is ignored: this call uses the other clues, and
   * the next call asks again.
   */
  async #askRoots(channel: Channel): Promise<JsonObject | undefined> {
    const ability = this.#capabilities['roots']
    if (ability === undefined) return undefined
    if (this.#roots) return this.#roots
    const changes = this.#rootChanges
    const canceller = new Canceller()
    const asked = channel.request('roots/list', {}, { signal: canceller }).catch(() => undefined)
    const answer = await withTimeout(asked, ROOTS_MS, () => {
      canceller.abort(new Error('The client did not answer in time'))
      return undefined
    })
    if (!Array.isArray(answer?.['roots'])) return undefined
    const isCurrent = changes === this.#rootChanges
    if (isCurrent && isObject(ability) && ability['listChanged'] === true) this.#roots = answer
    return answer
  }

  async #forward(server: string, method: string, params: JsonObject): Promise<void> {
    // Clients ask the gateway about their tasks; a server's own task ids mean nothing to them.
    if (!this.#greeted || method.startsWith('notifications/tasks')) return
    if (!isWanted(method, params['level'], this.#logLevel)) return
    const sent = method === 'notifications/resources/updated' ? this.#updates(params) : [params]
    if (sent.length === 0) return
    if (await this.#backend.permits(toCaller(this.#arrival, this.#info), server))
      for (const content of sent) this.#standing.notify(method, content)
  }

  /** Returns the update once for each URI by which the client subscribed to the resource. */
  #updates(params: JsonObject): JsonObject[] {
    return [...this.#watched].flatMap(([uri, { watched }]) =>
      watched?.uri === params['uri'] ? [{ ...params, uri }] : [],
    )
  }
}
