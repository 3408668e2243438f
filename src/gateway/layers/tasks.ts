import { ERAS } from '../../protocol/eras/eras.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import {
  declaresTasks,
  isTaskRequest,
  requiresTasks,
  taskOf,
  unknownTask,
  withTasks,
  withoutTasks,
} from '../../protocol/tasks.ts'
import { toLegacyTask, withRelatedTask } from '../../protocol/eras/legacy/tasks.ts'
import type { Authorized, CallResult, Client } from '../call.ts'
import type { Handler, Layer } from '../pipeline.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'
import { MAX_ROUNDS, answersTo, needsInput } from '../questions/ask-client.ts'
import { type TaskClient, followTask } from '../tasks/follow-task.ts'
import type { HeldTask } from '../tasks/held-task.ts'
import { type KeptCall, keepTask, newTask, resultOrTask, tooManyTasks } from '../tasks/keep-task.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { UsedConnection, Tool, Upstream } from '../upstream.ts'

export interface TaskOptions {
  /** Whether the gateway waits for a task on behalf of a client that does not know tasks. */
  readonly wait: boolean
  /** A call that takes longer becomes a task if its server has none; never when absent. */
  readonly offerAfterMs?: number | undefined
  /** How long a kept task can be asked for. */
  readonly ttlMs: number
}

type Next = Handler<Authorized, CallResult>

/**
 * Creates tasks, and follows them for clients that cannot. It stands inside `deadline`, which a
 * task outlives, and outside `concurrency`, whose slot a kept call has until it ends.
 *
 * ```yaml
 * # portolan.yaml
 * tasks: { wait: false, offerAfterMs: 20000 }
 * ```
 */
export function tasks(
  state: Tasks,
  options: TaskOptions,
  /** Called when a call that outlived its request has ended. */
  ended: (call: Authorized) => void = () => {},
): Layer<Authorized, Authorized, CallResult> {
  /** Waits for the result, for a client that does not know tasks; not `async`, as most calls pass here. */
  const waitFor: (call: Authorized, next: Next) => Promise<CallResult> = (call, next) => {
    if (isRequired(call) && options.wait) return follow(asTask(call), next)
    return next(call).catch((error: unknown) => {
      if (!options.wait) throw error
      if (requiresTasks(error)) return follow(declaring(call), next)
      if (mayNeedTask(call, error)) return follow(asTask(call), next)
      throw error
    })
  }

  return (next) => (call) => {
    if (call.method !== 'tools/call' || !call.tool)
      return isTaskRequest(call.method) ? askUpstream(state, call, next) : next(call)
    const { era, capabilities } = call.client
    if (!ERAS[era].takesTask(call.params, capabilities)) return waitFor(call, next)
    if (ERAS[era].asksForTasks) return startLegacy(call, next)
    if (!hasLegacyTasks(call)) return offerOrSeal(call, next)
    return hasRoom(call) ? handOver(call, next, asTask(call)) : waitFor(call, next)
  }

  function hasRoom({ agent }: Authorized): boolean {
    return state.held.hasRoomFor(ownerOfResults(agent))
  }

  /**
   * Starts a task for a client that asked for one as in 2025-11-25. A task of a server of that
   * revision is passed on; for any other server the gateway keeps one.
   */
  async function startLegacy(call: Authorized, next: Next): Promise<CallResult> {
    const { upstream, tool } = call
    if (!offersTasks(upstream, tool, options))
      throw new RpcError(RPC.methodNotFound, `Tool '${tool?.name}' cannot be called as a task`)
    if (!hasRoom(call)) throw tooManyTasks('call the tool without a task')
    if (!hasLegacyTasks(call) && !declaresTasks(upstream.listing.capabilities))
      return {
        task: toLegacyTask(keep(call, begin(withoutTask(call), next, newTask(call, options)))),
      }
    const sent = hasLegacyTasks(call) ? asTask(call) : declaring(withoutTask(call))
    return handOver(call, next, sent).catch(async (error: unknown) => {
      if (!mayNeedTask(call, error)) throw error
      return handOver(call, next, asTask(call))
    })
  }

  /** Passes on a task of the server as it is; a call that takes long may become one of ours. */
  async function offerOrSeal(call: Authorized, next: Next): Promise<CallResult> {
    const { offerAfterMs } = options
    const hasOwn = declaresTasks(call.upstream.listing.capabilities)
    if (offerAfterMs !== undefined && !hasOwn && hasRoom(call))
      return offer(call, next, offerAfterMs)
    const place: UsedConnection = {}
    const result = await next({ ...call, place })
    if (result['resultType'] !== 'task') return result
    return { ...result, taskId: state.sealUpstream(call, result, { era: 'modern', ...place }) }
  }

  async function offer(call: Authorized, next: Next, afterMs: number): Promise<CallResult> {
    const kept = begin(call, next, newTask(call, options))
    return resultOrTask(kept, { afterMs, call, keep: () => keep(call, kept) })
  }

  /** Starts a task on the server, and keeps the wait for its result as a task of ours. */
  async function handOver(call: Authorized, next: Next, sent: Authorized): Promise<JsonObject> {
    const { asksForTasks: isLegacy } = ERAS[call.client.era]
    const place: UsedConnection = {}
    const task = newTask(call, options)
    const client = task.clientFor(sent.client)
    const created = await next({ ...sent, place, client })
    const theirs = taskOf(created)
    if (isLegacy && theirs && isObject(created['task'])) {
      const taskId = state.sealUpstream(call, theirs, { era: 'legacy', ...place })
      return { ...created, task: { ...created['task'], taskId } }
    }
    if (!isLegacy && !theirs) return created
    const following = followingOf({ ...sent, place, client, signal: task.signal }, next)
    const kept = keep(call, { task, work: task.run(followTask(created, following)) })
    return isLegacy ? { task: toLegacyTask(kept) } : kept
  }

  function keep(call: Authorized, { task, work }: KeptCall): JsonObject {
    work.then(
      () => ended(call),
      () => ended(call),
    )
    return keepTask(state, task, state.sealHeld(call, task))
  }
}

/** Keeps calls as tasks of ours, for other layers. */
export interface TaskKeeper {
  /** Whether the client of a call takes a task for it, and has room for one. */
  takes(call: Authorized): boolean
  /** Answers with a task whose result `work` gives; `work` gets a call that takes none itself. */
  keep(call: Authorized, work: Next): CallResult
}

export function taskKeeper(state: Tasks, options: TaskOptions): TaskKeeper {
  return {
    takes: ({ method, params, client: { era, capabilities }, agent }) =>
      method === 'tools/call' &&
      ERAS[era].takesTask(params, capabilities) &&
      state.held.hasRoomFor(ownerOfResults(agent)),
    keep(call, work) {
      const plain = withoutTask(call)
      const client = { ...call.client, capabilities: withoutTasks(call.client.capabilities) }
      const kept = begin({ ...plain, client }, work, newTask(call, options))
      kept.work.catch(() => undefined)
      const task = keepTask(state, kept.task, state.sealHeld(call, kept.task))
      return ERAS[call.client.era].asksForTasks ? { task: toLegacyTask(task) } : task
    },
  }
}

/** Starts a call that goes on by itself, as its server does not know tasks. */
function begin(call: Authorized, next: Next, task: HeldTask): KeptCall {
  const client = task.clientFor(call.client)
  const work = task.run(followAsking(task, { ...call, signal: task.signal, client }, next))
  return { task, work }
}

/**
 * Returns the result of a call that a client may be polling for: the questions of its server are
 * then those of the task. A client that still waits for the call itself gets them as the answer.
 */
async function followAsking(task: HeldTask, sent: Authorized, next: Next): Promise<CallResult> {
  let result = await follow(sent, next)
  for (let round = 0; task.handedOver && needsInput(result) && round < MAX_ROUNDS; round++) {
    const params = { ...sent.params, ...(await answersTo(result, sent)) }
    result = await follow({ ...sent, params }, next)
  }
  return result
}

/** Sends a call and, if it is answered with a task, waits for the end of that. */
async function follow(sent: Authorized, next: Next): Promise<CallResult> {
  const call = { ...sent, place: {} }
  return followTask(await next(call), followingOf(call, next))
}

/** Asks the server about its own task, and puts the caller's id of it into the answer. */
async function askUpstream(state: Tasks, call: Authorized, next: Next): Promise<CallResult> {
  const { method, client } = call
  const ref = state.ids.open(call.params['taskId'])
  if (!ref) throw unknownTask()
  const taskId = String(call.params['taskId'])
  const params = { ...call.params, taskId: ref.upstreamId }
  const place = ref.connection === '' ? {} : { connection: ref.connection }
  const sent = { ...call, params, place }
  if (method !== 'tasks/result') {
    const result = await next(ERAS[ref.era].asksForTasks ? sent : declaring(sent))
    return 'taskId' in result ? { ...result, taskId } : result
  }
  // A server of 2025-11-25 asks its questions while a client waits for the result.
  const asking: Client = {
    ...client,
    request: async (asked, question, more) =>
      client.request(asked, withRelatedTask(question, taskId), more),
  }
  return withRelatedTask(await next({ ...sent, client: asking }), taskId)
}

/** Whether a client of 2025-11-25 may ask for a task of this tool. */
export function offersTasks(
  { listing }: Upstream,
  tool: Tool | undefined,
  { offerAfterMs }: TaskOptions,
): boolean {
  return (
    offerAfterMs !== undefined ||
    declaresTasks(listing.capabilities) ||
    (tool !== undefined && supportOf(tool, listing.capabilities) !== undefined)
  )
}

/** Returns the task support that a server of 2025-11-25 declares for a tool, if any. */
function supportOf({ definition }: Tool, { tasks: own }: JsonObject): unknown {
  const { requests } = isObject(own) ? own : {}
  const { tools } = isObject(requests) ? requests : {}
  if (!isObject(tools) || tools['call'] === undefined) return undefined
  const { execution } = definition
  const support = isObject(execution) ? execution['taskSupport'] : undefined
  return support === 'forbidden' ? undefined : support
}

function hasLegacyTasks({ tool, upstream }: Authorized): boolean {
  return tool !== undefined && supportOf(tool, upstream.listing.capabilities) !== undefined
}

function isRequired({ tool, upstream }: Authorized): boolean {
  return tool !== undefined && supportOf(tool, upstream.listing.capabilities) === 'required'
}

/**
 * Returns the call as a request for a task, in the form of both eras: a server of both is listed in
 * one of them and may be called in the other.
 */
function asTask(call: Authorized): Authorized {
  const { task } = call.params
  return declaring({ ...call, params: { ...call.params, task: isObject(task) ? task : {} } })
}

/**
 * Whether a call may have been refused because it did not ask for a task: servers of 2025-11-25
 * refuse it like this, and a server of both eras may have been listed in the other.
 */
function mayNeedTask({ upstream }: Authorized, error: unknown): boolean {
  const { capabilities } = upstream.listing
  return (
    declaresTasks(capabilities) &&
    capabilities['tasks'] === undefined &&
    error instanceof RpcError &&
    error.code === RPC.methodNotFound
  )
}

function withoutTask(call: Authorized): Authorized {
  const { task: _task, ...params } = call.params
  return { ...call, params }
}

/** Declares that the gateway knows tasks, whether its client does or not. */
function declaring(call: Authorized): Authorized {
  const { client } = call
  return { ...call, client: { ...client, capabilities: withTasks(client.capabilities) } }
}

function followingOf(call: Authorized, next: Next): TaskClient {
  const { client, signal } = call
  return {
    client,
    signal,
    ask: async (method, params, own) =>
      next({ ...call, method, params, ...(own === undefined && { signal: NEVER }) }),
  }
}

/** For a request that ends a task: it must not be cancelled with the call that it ends. */
const NEVER = new AbortController().signal
