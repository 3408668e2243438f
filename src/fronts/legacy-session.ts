import type { Client } from '../gateway/call.ts'
import { type JsonObject, RPC, RpcError, isObject } from '../protocol/json-rpc.ts'
import { negotiateLegacy } from '../protocol/versions.ts'
import { type Arrival, type Backend, toCaller } from './backend.ts'
import type { Signal } from '../protocol/signal.ts'

/** The way to the client: the stream of one call, or whatever stands open. */
export interface Channel {
  request(method: string, params: JsonObject, signal?: Signal): Promise<JsonObject>
  notify(method: string, params: JsonObject): void
}

const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** One client of the era of handshakes, over whichever transport it came. */
export class LegacySession {
  readonly id: string
  readonly #backend: Backend
  readonly #standing: Channel
  readonly #watched = new Map<string, () => void>()
  readonly #unsubscribe: () => void
  /** Nothing is said unasked before the client has finished its handshake. */
  #greeted = false
  #arrival: Arrival
  #info: JsonObject | undefined
  #capabilities: JsonObject = {}
  #logLevel: string | undefined
  #roots: Promise<JsonObject | undefined> | undefined

  constructor(id: string, backend: Backend, arrival: Arrival, standing: Channel) {
    this.id = id
    this.#backend = backend
    this.#arrival = arrival
    this.#standing = standing
    this.#unsubscribe = backend.onNotification((server, method, params) => {
      void this.#tell(server, method, params)
    })
  }

  /** Every HTTP request brings its own headers and address; the latest ones hold. */
  arrive(arrival: Arrival): void {
    this.#arrival = arrival
  }

  async handle(
    method: string,
    params: JsonObject,
    { signal, channel }: { signal: Signal; channel: Channel },
  ): Promise<JsonObject> {
    if (method === 'ping') return {}
    if (method === 'initialize') return this.#initialize(params)
    this.#greeted = true
    if (method === 'logging/setLevel') return this.#setLevel(params['level'])
    const client = this.#client(channel)
    const caller = toCaller(this.#arrival)
    if (method === 'resources/subscribe') {
      const uri = String(params['uri'])
      if (!this.#watched.has(uri))
        this.#watched.set(uri, await this.#backend.watch(uri, caller, client))
      return {}
    }
    if (method === 'resources/unsubscribe') {
      const uri = String(params['uri'])
      this.#watched.get(uri)?.()
      this.#watched.delete(uri)
      return {}
    }
    const { surface } = this.#arrival
    return this.#backend.handle({ method, params, caller, client, signal, surface })
  }

  /** A notification of the client's. */
  hear(method: string): void {
    if (method === 'notifications/initialized') {
      this.#greeted = true
      this.#backend.greet(this.#client(this.#standing))
    }
    if (method === 'notifications/roots/list_changed') this.#roots = undefined
  }

  close(): void {
    this.#unsubscribe()
    for (const unwatch of this.#watched.values()) unwatch()
    this.#watched.clear()
    this.#backend.release(this.id)
  }

  async #initialize(params: JsonObject): Promise<JsonObject> {
    this.#capabilities = isObject(params['capabilities']) ? params['capabilities'] : {}
    this.#info = isObject(params['clientInfo']) ? params['clientInfo'] : undefined
    const { surface } = this.#arrival
    const instructions = await this.#backend.instructions(toCaller(this.#arrival), surface)
    return {
      protocolVersion: negotiateLegacy(params['protocolVersion']),
      capabilities: this.#backend.capabilities,
      serverInfo: this.#backend.info,
      ...(instructions !== undefined && { instructions }),
    }
  }

  #setLevel(level: unknown): JsonObject {
    if (typeof level !== 'string' || !LOG_LEVELS.includes(level))
      throw new RpcError(RPC.invalidParams, `"level" must be one of ${LOG_LEVELS.join(', ')}`)
    this.#logLevel = level
    return {}
  }

  #client(channel: Channel): Client {
    return {
      session: this.id,
      alone: this.#arrival.alone,
      era: 'legacy',
      info: this.#info,
      capabilities: this.#capabilities,
      logLevel: this.#logLevel,
      headers: this.#arrival.headers,
      request: async (method, params, signal) => channel.request(method, params, signal),
      notify: (method, params) => channel.notify(method, params),
      project: async () => {
        const roots = await this.#askRoots(channel)
        return this.#backend.detect({ roots, query: this.#arrival.projectPath })
      },
    }
  }

  /** Kept only when the client promised to tell of changes; asked anew for every call otherwise. */
  async #askRoots(channel: Channel): Promise<JsonObject | undefined> {
    const ability = this.#capabilities['roots']
    if (ability === undefined) return undefined
    if (this.#roots) return this.#roots
    const asked = channel.request('roots/list', {}).catch(() => undefined)
    if (isObject(ability) && ability['listChanged'] === true) this.#roots = asked
    return asked
  }

  async #tell(server: string, method: string, params: JsonObject): Promise<void> {
    if (!this.#greeted) return
    if (method === 'notifications/resources/updated' && !this.#watched.has(String(params['uri'])))
      return
    if (await this.#backend.permits(toCaller(this.#arrival), server))
      this.#standing.notify(method, params)
  }
}
