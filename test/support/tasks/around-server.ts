import type { JsonObject } from '../../../src/base/json/json.ts'
import type { Authorized, CallResult } from '../../../src/gateway/call.ts'
import { taskRequests } from '../../../src/gateway/layers/task-requests.ts'
import { type TaskOptions, tasks } from '../../../src/gateway/layers/tasks.ts'
import type { Handler } from '../../../src/gateway/pipeline.ts'
import { createTaskIds } from '../../../src/gateway/tasks/task-ids.ts'
import { Tasks } from '../../../src/gateway/tasks/tasks.ts'
import type { Upstream } from '../../../src/gateway/upstream.ts'
import { aCall, aClient, aListing, anUpstream } from '../a-call.ts'

export const EXTENSION = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
export const DONE = { content: [{ type: 'text', text: 'done' }] }
export const WORKING = { taskId: 'u1', status: 'working', ttlMs: 60_000, pollIntervalMs: 1 }
export const tool = { server: 'echo', name: 'work', definition: { name: 'work' }, readOnly: false }
export const legacyTool = {
  ...tool,
  definition: { name: 'work', execution: { taskSupport: 'required' } },
}
export const legacyUpstream = anUpstream({
  listing: { ...aListing('echo'), capabilities: { tasks: { requests: { tools: { call: {} } } } } },
})

/** A server that supports the extension. */
export const modernUpstream = (parts: Partial<Upstream> = {}) =>
  anUpstream({ listing: { ...aListing('echo'), capabilities: EXTENSION }, ...parts })

/** Both layers around a server, as in the chain; `stored` is the stored record of every task. */
export function aroundServer(
  server: Handler<Authorized, CallResult>,
  options: Partial<TaskOptions> = {},
  stored?: JsonObject,
) {
  const records = { put: async () => {}, read: async () => stored }
  const state = new Tasks({ ids: createTaskIds(() => Buffer.alloc(32, 7)), records })
  const sent: [method: string, params: JsonObject][] = []
  const made = tasks(state, { wait: true, ttlMs: 60_000, ...options })
  const handle = taskRequests(state)(
    made(async (call) => {
      sent.push([call.method, call.params])
      return server(call)
    }),
  )
  const client = aClient({ capabilities: EXTENSION })
  return {
    state,
    sent,
    handle: async (parts: Partial<Authorized> = {}) => handle(aCall({ tool, client, ...parts })),
    ask: async (method: string, taskId: unknown, parts: Partial<Authorized> = {}) =>
      handle(aCall({ tool, client, method, params: { taskId }, ...parts })),
  }
}
