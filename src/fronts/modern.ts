import { createHash } from 'node:crypto'
import type { Client } from '../gateway/call.ts'
import type { Identity } from '../gateway/request.ts'
import { RPC, type RequestId, RpcError } from '../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { toSendWithField, withField } from '../protocol/raw-text.ts'
import { META, MODERN_VERSION, metaOf, withoutEnvelope } from '../protocol/versions.ts'
import { isWanted, levelProblem } from '../protocol/log-levels.ts'
import type { Arrival, Backend } from './backend.ts'
import type { CallRelay, Continuation, ReplyChannel } from './call-relay.ts'
import { ParkableCall, ParkedCalls, holderOf, mayPark } from './parked-calls.ts'
import { Members } from './members.ts'
import { Subscriptions } from './subscriptions.ts'
import { type Canceller, onAbort } from '../base/flow/signal.ts'

export interface ModernRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly arrival: Arrival
  /** Who sent it: only they may continue a call that waits for its client. */
  readonly identity?: Identity | undefined
  /** Cancels the request when its client leaves. */
  readonly canceller: Canceller
  /** Sends a notification on the stream of this request. */
  readonly notify: (method: string, params: JsonObject) => void
}

/** Lists change when servers do, and differ between agents. */
const LIST_TTL_MS = 5000
const LISTS = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'skills/list',
])
/** Results other than lists that say how long they may be cached. */
const CACHEABLE = new Set(['resources/read', 'resources/directory/read', 'skills/get'])

export function isModern(params: JsonObject | undefined): boolean {
  return META.version in metaOf(params)
}

/** Serves modern clients: every request says who calls, and nothing is stored between requests. */
export class ModernFront {
  readonly #backend: Backend
  readonly #parked = new ParkedCalls()
  readonly #subscriptions: Subscriptions
  readonly #relay: CallRelay | undefined
  readonly #replica: string
  readonly #unserve: (() => void) | undefined
  readonly #running = new Members<Canceller>()
  #greeted = false

  /** `relay` reaches calls that wait at other replicas. */
  constructor(backend: Backend, relay?: CallRelay) {
    this.#backend = backend
    this.#subscriptions = new Subscriptions(backend)
    this.#relay = relay
    this.#replica = relay?.replica ?? ''
    this.#unserve = relay?.serve('call', async (asked, channel) => this.#continue(asked, channel))
  }

  serves(method: string): boolean {
    return (
      method === 'server/discover' ||
      method === 'subscriptions/listen' ||
      this.#backend.methods.has(method)
    )
  }

  async handle(request: ModernRequest): Promise<JsonObject> {
    const meta = metaOf(request.params)
    checkEnvelope(meta)
    if (request.arrival.alone && !this.#greeted) {
      this.#greeted = true
      this.#backend.greeted(this.#client(request, meta, undefined))
    }
    if (request.method === 'server/discover') return this.#discover(request, meta)
    if (!this.serves(request.method))
      throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method}`)
    if (request.method === 'subscriptions/listen') {
      return this.#subscriptions.open(request, this.#client(request, meta, undefined))
    }
    const index = this.#running.add(request.canceller)
    try {
      const result = mayPark(request, objectOr(meta[META.clientCapabilities], {}))
        ? await this.#parkable(request, meta)
        : await this.#run(request, meta, undefined)
      return this.#complete(request.method, result)
    } finally {
      this.#running.remove(index)
    }
  }

  get inFlight(): number {
    return this.#running.size
  }

  /** Open subscriptions. */
  get listeners(): number {
    return this.#subscriptions.size
  }

  /** Cancels parked calls and the requests in flight, each of which is answered with this error. */
  abandon(error: Error): void {
    this.#unserve?.()
    this.#parked.abandon(error)
    for (const canceller of this.#running.values()) canceller.abort(error)
  }

  /** Ends open subscriptions with an answer, before the transport closes. */
  close(): void {
    this.#subscriptions.close()
  }

  async #parkable(request: ModernRequest, meta: JsonObject): Promise<JsonObject> {
    const { params, canceller, notify } = request
    const { requestState: state } = params
    const holder = holderOf(state)
    if (holder !== undefined && typeof state === 'string') {
      const responses = objectOr(params['inputResponses'], {})
      const continuation = { state, owner: ownerOf(request), responses }
      const channel = { signal: canceller, notify }
      if (this.#relay && holder !== this.#replica)
        return this.#relay.forward(holder, 'call', continuation, channel)
      return this.#continue(continuation, channel)
    }
    const call = new ParkableCall(canceller, this.#replica)
    call.start(this.#run(request, meta, call))
    const result = await call.next(notify)
    if (call.waiting) this.#parked.park(call, ownerOf(request))
    return result
  }

  async #continue(
    { state, owner, responses }: Continuation,
    channel: ReplyChannel,
  ): Promise<JsonObject> {
    const call = this.#parked.resume(state, owner)
    onAbort(channel.signal, () => call.abandon(new Error('The client disconnected')))
    call.answer(responses)
    const result = await call.next(channel.notify)
    if (call.waiting) this.#parked.park(call, owner)
    return result
  }

  #run(
    request: ModernRequest,
    meta: JsonObject,
    call: ParkableCall | undefined,
  ): Promise<JsonObject> {
    const { method, params, arrival, identity, canceller } = request
    return this.#backend.handle({
      method,
      params: withoutEnvelope(params),
      caller: arrival,
      client: this.#client(request, meta, call),
      identity,
      signal: canceller,
      surface: arrival.surface,
    })
  }

  #client(request: ModernRequest, meta: JsonObject, call: ParkableCall | undefined): Client {
    const { arrival } = request
    const capabilities = objectOr(meta[META.clientCapabilities], {})
    const level = meta[META.logLevel]
    const logLevel = typeof level === 'string' ? level : undefined
    const ask = async (method: string, params: JsonObject) => {
      if (call) return call.ask(method, params)
      throw new RpcError(RPC.methodNotFound, `${request.method} cannot ask the client`)
    }
    return {
      session: arrival.alone ? 'stdio' : '',
      transport: arrival.transport,
      alone: arrival.alone,
      era: 'modern',
      info: clientOf(meta),
      capabilities,
      logLevel,
      headers: arrival.headers,
      request: ask,
      notify: (method, params) => {
        if (method === 'notifications/message' && logLevel === undefined) return
        if (!isWanted(method, params['level'], logLevel)) return
        if (call) call.notify(method, params)
        else request.notify(method, params)
      },
      project: async () => {
        const asksRoots = call !== undefined && capabilities['roots'] !== undefined
        // No time limit: the question has ended the request, so no client waits for an answer.
        const roots = asksRoots ? await ask('roots/list', {}) : undefined
        return this.#backend.detect({ roots, query: arrival.projectPath })
      },
    }
  }

  async #discover(request: ModernRequest, meta: JsonObject): Promise<JsonObject> {
    const { arrival: caller, identity } = request
    const who = { caller, identity, client: this.#client(request, meta, undefined) }
    const instructions = await this.#backend.instructions(who, caller.surface)
    return {
      resultType: 'complete',
      supportedVersions: [MODERN_VERSION],
      capabilities: await this.#backend.capabilities(who),
      ...(instructions !== undefined && { instructions }),
      ttlMs: LIST_TTL_MS,
      cacheScope: 'private',
      _meta: { [META.serverInfo]: this.#backend.info },
    }
  }

  /** Adds the fields that this era requires, where the server did not set them itself. */
  #complete(method: string, result: JsonObject): JsonObject {
    const isList = LISTS.has(method)
    if (!isList && !CACHEABLE.has(method)) return toSendWithField(result, 'resultType', 'complete')
    const complete = withField(result, 'resultType', 'complete')
    if (complete['resultType'] !== 'complete') return complete
    const dated = withField(complete, 'ttlMs', isList ? LIST_TTL_MS : 0)
    const scoped = withField(dated, 'cacheScope', 'private')
    return isList ? withField(scoped, '_meta', { [META.serverInfo]: this.#backend.info }) : scoped
  }
}

/** The error for a request without a field that every request must have. */
export class EnvelopeError extends RpcError {
  constructor(message: string) {
    super(RPC.invalidParams, message)
  }
}

function checkEnvelope(meta: JsonObject): void {
  const requested = meta[META.version]
  if (requested !== MODERN_VERSION)
    throw new RpcError(RPC.unsupportedVersion, 'Unsupported protocol version', {
      supported: [MODERN_VERSION],
      requested,
    })
  if (!isObject(meta[META.clientCapabilities]))
    throw new EnvelopeError(`_meta needs "${META.clientCapabilities}"`)
  const level = meta[META.logLevel]
  const problem = level === undefined ? undefined : levelProblem(level)
  if (problem !== undefined) throw new EnvelopeError(problem)
}

/** Identifies who may continue a waiting call, and with which method. */
function ownerOf({ identity, arrival, method }: ModernRequest): string {
  const parts = [identity?.owner, arrival.claimedAgent, method].join('\n')
  return createHash('sha256').update(parts).digest('base64url')
}

function clientOf(meta: JsonObject): JsonObject | undefined {
  const info = meta[META.clientInfo]
  return isObject(info) ? info : undefined
}

function objectOr(value: unknown, fallback: JsonObject): JsonObject {
  return isObject(value) ? value : fallback
}
