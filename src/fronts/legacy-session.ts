import type { Client, QuestionOptions } from '../gateway/call.ts'
import type { Identity, Requester } from '../gateway/request.ts'
import type { NotificationListener } from '../gateway/upstream.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { isWanted, levelProblem } from '../protocol/log-levels.ts'
import { negotiateLegacy } from '../protocol/versions.ts'
import type { Arrival, Backend, Watched } from './backend.ts'
import type { Signal } from '../base/flow/signal.ts'
import { Dependency } from '../base/flow/dependency.ts'
import { type ClientFacts, toClientFacts } from './session-ids.ts'

/** Where messages to the client go: the stream of one call, or the session's own stream. */
export interface Channel {
  request(method: string, params: JsonObject, options?: QuestionOptions): Promise<JsonObject>
  notify(method: string, params: JsonObject): void
}

/** What one request has besides its method and its params. */
export interface LegacyContext {
  readonly signal: Signal
  readonly channel: Channel
  readonly identity?: Identity | undefined
}

/** A client answers with its roots at once or not at all; a call must not wait longer. */
const ROOTS_MS = 3_000
/** For how long a client that did not answer is not asked for its roots again. */
const NO_ROOTS_MS = 60_000

export interface LegacySessionOptions {
  readonly id: string
  readonly backend: Backend
  readonly arrival: Arrival
  /** The channel to the client outside of any call. */
  readonly standing: Channel
  /** What the client said of itself, if it has shaken hands already. */
  readonly facts?: ClientFacts | undefined
}

/** The session of one legacy client, over any transport. */
export class LegacySession {
  readonly id: string
  readonly #backend: Backend
  readonly #standing: Channel
  /** Resources that the client subscribed to, by the URI it gave. */
  readonly #watched = new Map<string, { watched?: Watched }>()
  readonly #unsubscribe: () => void
  /** No notifications are sent before the client has finished its handshake. */
  #greeted: boolean
  #arrival: Arrival
  #facts: ClientFacts
  #logLevel: string | undefined
  #roots: JsonObject | undefined
  #rootChanges = 0
  readonly #askable = new Dependency({ failures: 1, openMs: NO_ROOTS_MS })

  constructor({ id, backend, arrival, standing, facts }: LegacySessionOptions) {
    this.id = id
    this.#backend = backend
    this.#arrival = arrival
    this.#standing = standing
    this.#greeted = facts !== undefined
    this.#facts = facts ?? toClientFacts({})
    this.#unsubscribe = backend.onNotification((...notification) => {
      void this.#forward(...notification)
    })
  }

  /** Every HTTP request has its own headers and address; the latest ones apply. */
  arrive(arrival: Arrival): void {
    this.#arrival = arrival
  }

  async handle(
    method: string,
    params: JsonObject,
    { signal, channel, identity }: LegacyContext,
  ): Promise<JsonObject> {
    if (method === 'ping') return {}
    if (method === 'initialize') return this.#initialize(params)
    this.#greeted = true
    if (method === 'logging/setLevel') return this.#setLevel(params['level'])
    if (method === 'resources/subscribe') return this.#watch(uriIn(params), channel)
    if (method === 'resources/unsubscribe') return this.#unwatch(uriIn(params))
    const { surface } = this.#arrival
    return this.#backend.handle({
      method,
      params,
      ...this.#who(channel),
      identity,
      signal,
      surface,
    })
  }

  async #watch(uri: string, channel: Channel): Promise<JsonObject> {
    if (this.#watched.has(uri)) return {}
    const subscription: { watched?: Watched } = {}
    this.#watched.set(uri, subscription)
    // Meanwhile the client may have unsubscribed, and even subscribed again.
    const isCurrent = () => this.#watched.get(uri) === subscription
    try {
      const watched = await this.#backend.watch(uri, this.#who(channel))
      if (isCurrent()) subscription.watched = watched
      else watched.unwatch()
      return {}
    } catch (error) {
      if (isCurrent()) this.#watched.delete(uri)
      throw error
    }
  }

  #unwatch(uri: string): JsonObject {
    this.#watched.get(uri)?.watched?.unwatch()
    this.#watched.delete(uri)
    return {}
  }

  /** Handles a notification. */
  receive(method: string): void {
    if (method === 'notifications/initialized') {
      this.#greeted = true
      if (this.#arrival.alone) this.#backend.greeted(this.#client(this.#standing))
    }
    if (method === 'notifications/roots/list_changed') {
      this.#forgetRoots()
      this.#backend.rootsChanged(this.id)
    }
  }

  /** Follows a change that another replica has answered, which also watches the resource now. */
  follow(method: string, params: JsonObject): void {
    if (method === 'logging/setLevel') this.#logLevel = String(params['level'])
    else if (method.startsWith('resources/')) this.#unwatch(String(params['uri']))
  }

  /** Called when the client seems to have gone; it may come back. */
  suspend(): void {
    this.#forgetRoots()
    this.#backend.suspend(this.id)
  }

  close(): void {
    this.#unsubscribe()
    for (const uri of this.#watched.keys()) this.#unwatch(uri)
    this.#backend.release(this.id)
  }

  async #initialize(params: JsonObject): Promise<JsonObject> {
    this.#facts = toClientFacts(params)
    const who = this.#who(this.#standing)
    const instructions = await this.#backend.instructions(who, this.#arrival.surface)
    return {
      protocolVersion: negotiateLegacy(params['protocolVersion']),
      capabilities: await this.#backend.capabilities(who),
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

  #who(channel: Channel): Requester {
    return { caller: this.#arrival, client: this.#client(channel) }
  }

  #client(channel: Channel): Client {
    return {
      session: this.id,
      transport: this.#arrival.transport,
      alone: this.#arrival.alone,
      era: 'legacy',
      info: this.#facts.info,
      capabilities: this.#facts.capabilities,
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
   * changes of its roots. Without an answer in time, this call uses the other clues, and so do
   * those of the next minute, unless the client announces other roots or connects again.
   */
  async #askRoots(channel: Channel): Promise<JsonObject | undefined> {
    const ability = this.#facts.capabilities['roots']
    if (ability === undefined) return undefined
    if (this.#roots) return this.#roots
    const changes = this.#rootChanges
    const answer = await this.#askable.ask(
      // An error is an answer, too: only silence is remembered.
      async (signal) => channel.request('roots/list', {}, { signal }).catch(() => undefined),
      ROOTS_MS,
    )
    if (answer.kind !== 'answer' || !Array.isArray(answer.value?.['roots'])) return undefined
    const isCurrent = changes === this.#rootChanges
    const willTell = isObject(ability) && ability['listChanged'] === true
    if (isCurrent && willTell) this.#roots = answer.value
    return answer.value
  }

  #forgetRoots(): void {
    this.#roots = undefined
    this.#rootChanges += 1
    this.#askable.reset()
  }

  async #forward(
    server: string,
    ...[method, params, audience]: Parameters<NotificationListener>
  ): Promise<void> {
    // Clients ask the gateway about their tasks; a server's own task ids mean nothing to them.
    if (!this.#greeted || method.startsWith('notifications/tasks')) return
    if (!isWanted(method, params['level'], this.#logLevel)) return
    const sent = method === 'notifications/resources/updated' ? this.#updates(params) : [params]
    if (sent.length === 0) return
    if (await this.#backend.permits(this.#who(this.#standing), server, audience))
      for (const content of sent) this.#standing.notify(method, content)
  }

  /** Returns the update once for each URI by which the client subscribed to the resource. */
  #updates(params: JsonObject): JsonObject[] {
    return [...this.#watched].flatMap(([uri, { watched }]) =>
      watched?.uri === params['uri'] ? [{ ...params, uri }] : [],
    )
  }
}

function uriIn({ uri }: JsonObject): string {
  if (typeof uri === 'string') return uri
  throw new RpcError(RPC.invalidParams, '"uri" must be a string')
}
