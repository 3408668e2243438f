import type { CallRelay } from '../fronts/call-relay.ts'
import type { Client } from '../gateway/call.ts'
import { asSeenByPerson, personOfOwner } from '../gateway/agents/on-behalf-of.ts'
import { GatewayError } from '../gateway/errors.ts'
import { askHeld } from '../gateway/layers/task-requests.ts'
import { TaskLost } from '../gateway/tasks/lost-task.ts'
import type { TaskRelay, Tasks } from '../gateway/tasks/tasks.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { unknownTask, withTasks } from '../protocol/tasks.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'

/** Uses the relay of calls for requests about tasks. */
export function taskRelay(relay: CallRelay): TaskRelay {
  return {
    replica: relay.replica,
    async forward(replica, { taskId, owner, method, params }, signal) {
      const continuation = { state: taskId, owner, responses: { method, params } }
      try {
        return await relay.forward(replica, 'task', continuation, { signal, notify: () => {} })
      } catch (error) {
        if (error instanceof RpcError && error.code === GONE)
          throw new TaskLost('The replica that ran this task has ended')
        throw error
      }
    },
  }
}

const GONE = new GatewayError('SERVER_UNAVAILABLE', '').rpcCode

/** Answers requests of other replicas about tasks that run here. */
export function serveTasks(
  relay: CallRelay,
  tasks: Tasks,
  server: (name: string) => Upstream | undefined,
): () => void {
  return relay.serve('task', async ({ state: taskId, owner, responses }, { signal }) => {
    const ref = tasks.find(taskId, owner)
    const method = String(responses['method'])
    const params: JsonObject = isObject(responses['params']) ? responses['params'] : {}
    const task = ref && tasks.held.find(ref.heldId, owner)
    if (task) return askHeld(tasks, task, { taskId, method, params })
    const upstream = ref && ref.heldId === '' ? server(ref.server) : undefined
    if (!ref || !upstream) throw unknownTask()
    const place = { connection: ref.connection }
    const context = { signal, client: OTHER_REPLICA, agent: owner, place }
    const sent = { ...params, taskId: ref.upstreamId }
    const theirs = asSeenByPerson(upstream, personOfOwner(owner))
    const result = await theirs.request(method, sent, context)
    return 'taskId' in result ? { ...result, taskId } : result
  })
}

/** The caller is at another replica, so it can be neither asked nor notified from here. */
const OTHER_REPLICA: Client = {
  session: '',
  transport: 'in-process',
  alone: false,
  era: 'modern',
  info: undefined,
  capabilities: withTasks({}),
  logLevel: undefined,
  headers: {},
  request: async () => {
    throw new RpcError(RPC.methodNotFound, 'A request about a task cannot ask the client')
  },
  notify: () => {},
  project: async () => ({ path: '/', source: 'cwd' }),
}
