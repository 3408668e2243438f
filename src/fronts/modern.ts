import { createHash } from 'node:crypto'
import type { Client } from '../gateway/call.ts'
import { RPC, type RequestId, RpcError } from '../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { toSendWithField, withField } from '../protocol/raw-text.ts'
import { META, MODERN_VERSION, metaOf, withoutEnvelope } from '../protocol/versions.ts'
import { isWanted, levelProblem } from '../protocol/log-levels.ts'
import { declaresTasks, missingTasks } from '../protocol/tasks.ts'
import type { TaskWatch, WatchedTasks } from '../gateway/request.ts'
import { type Arrival, type Backend, toCaller } from './backend.ts'
import type { CallRelay, Continuation, ReplyChannel } from './call-relay.ts'
import { ParkableCall, ParkedCalls, holderOf, mayPark } from './parked-calls.ts'
import { Members } from './members.ts'
import { type Canceller, onAbort } from '../base/flow/signal.ts'

export interface ModernRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly arrival: Arrival
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
const CHANGES = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
}

export function isModern(params: JsonObject | undefined): boolean {
  return META.version in metaOf(params)
}

/** Serves modern clients: every request says who calls, and nothing is stored between requests. */
export class ModernFront {
  readonly #backend: Backend
  readonly #parked = new ParkedCalls()
  readonly #listening = new Set<() => void>()
  readonly #relay: CallRelay | undefined
  readonly #replica: string
  readonly #unserve: (() => void) | undefined
  readonly #running = new Members<Canceller>()
  #greeted = false

  /** `relay` reaches calls that wait at other replicas. */
  constructor(backend: Backend, relay?: CallRelay) {
    this.#backend = backend
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
    if (request.method === 'subscriptions/listen') return this.#listen(request)
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
    return this.#listening.size
  }

  /** Cancels parked calls and the requests in flight, each of which is answered with this error. */
  abandon(error: Error): void {
    this.#unserve?.()
    this.#parked.abandon(error)
    for (const canceller of this.#running.values()) canceller.abort(error)
  }

  /** Ends open subscriptions with an answer, before the transport closes. */
  close(): void {
    for (const end of this.#listening) end()
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
    const { method, params, arrival, canceller } = request
    return this.#backend.handle({
      method,
      params: withoutEnvelope(params),
      caller: toCaller(arrival, clientOf(meta)),
      client: this.#client(request, meta, call),
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
    const { surface } = request.arrival
    const caller = toCaller(request.arrival, clientOf(meta))
    const client = this.#client(request, meta, undefined)
    const instructions = await this.#backend.instructions({ caller, client, surface })
    return {
      resultType: 'complete',
      supportedVersions: [MODERN_VERSION],
      capabilities: await this.#backend.capabilities('modern', caller),
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

  async #watchTasks(
    wanted: unknown,
    watch: Omit<TaskWatch, 'taskIds'>,
  ): Promise<WatchedTasks | undefined> {
    if (!Array.isArray(wanted) || wanted.length === 0) return undefined
    if (!declaresTasks(watch.client.capabilities)) throw missingTasks()
    return this.#backend.watchTasks({ ...watch, taskIds: wanted.map(String) })
  }

  /** Opens a stream that lasts until one side ends it; the first message says what it carries. */
  async #listen({ id, params, arrival, canceller, notify }: ModernRequest): Promise<JsonObject> {
    const caller = toCaller(arrival, clientOf(metaOf(params)))
    await this.#backend.authenticate(caller)
    const filter = params['notifications']
    if (!isObject(filter))
      throw new RpcError(RPC.invalidParams, '"notifications" must be an object')
    const tagged = { [META.subscriptionId]: id }
    const send = (method: string, content: JsonObject) =>
      notify(method, { ...content, _meta: { ...metaOf(content), ...tagged } })
    const changes = Object.entries(CHANGES).filter(([key]) => filter[key] === true)
    const methods = changes.map(([, method]) => method)
    const uris = Array.isArray(filter['resourceSubscriptions'])
      ? filter['resourceSubscriptions'].map(String)
      : []
    const client = this.#client(
      { id, method: '', params, arrival, canceller, notify },
      metaOf(params),
      undefined,
    )
    // May fail, so it comes before any resource is watched.
    const tasks = await this.#watchTasks(filter['taskIds'], { caller, client, signal: canceller })
    const watches = await Promise.allSettled(
      uris.map(async (uri) => ({
        asked: uri,
        ...(await this.#backend.watch(uri, caller, client)),
      })),
    )
    const watched = watches.flatMap((watch) => (watch.status === 'fulfilled' ? [watch.value] : []))
    send('notifications/subscriptions/acknowledged', {
      notifications: {
        ...Object.fromEntries(changes.map(([key]) => [key, true])),
        ...(uris.length > 0 && { resourceSubscriptions: watched.map(({ asked }) => asked) }),
        ...(tasks && { taskIds: tasks.taskIds }),
      },
    })
    tasks?.start((task) => send('notifications/tasks', task))
    const forward = async (server: string, method: string, content: JsonObject) => {
      const sent =
        method === 'notifications/resources/updated'
          ? watched.flatMap(({ uri, asked }) =>
              uri === content['uri'] ? [{ ...content, uri: asked }] : [],
            )
          : [content].filter(() => methods.includes(method))
      if (sent.length === 0 || !(await this.#backend.permits(caller, server))) return
      for (const one of sent) send(method, one)
    }
    const unsubscribe = this.#backend.onNotification((server, method, content) => {
      void forward(server, method, content)
    })
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#listening.delete(end)
        resolve()
      }
      this.#listening.add(end)
      onAbort(canceller, end)
    })
    unsubscribe()
    for (const one of watched) one.unwatch()
    return { resultType: 'complete', _meta: tagged }
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
function ownerOf({ arrival, method }: ModernRequest): string {
  const parts = [arrival.credential, arrival.claimedAgent, method].join('\n')
  return createHash('sha256').update(parts).digest('base64url')
}

function clientOf(meta: JsonObject): JsonObject | undefined {
  const info = meta[META.clientInfo]
  return isObject(info) ? info : undefined
}

function objectOr(value: unknown, fallback: JsonObject): JsonObject {
  return isObject(value) ? value : fallback
}
