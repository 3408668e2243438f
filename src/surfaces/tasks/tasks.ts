import { ERAS, type EraName } from '../../protocol/eras/eras.ts'
import type { Address } from '../../gateway/call.ts'
import { offersTasks } from '../../gateway/layers/tasks.ts'
import { ownerOfResults } from '../../gateway/agents/on-behalf-of.ts'
import { type Request, agentOf } from '../../gateway/request.ts'
import { type TaskRef, standsFor } from '../../gateway/tasks/task-ids.ts'
import type { Tool, Upstream } from '../../gateway/upstream.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { declaresTasks, missingTasks, unknownTask } from '../../protocol/tasks.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { prepare, toInbound } from '../inbound.ts'
import { answerScriptTask } from '../scripts/script-task.ts'
import type { World } from '../world.ts'

/** Methods that exist in one era only. */
const ERA_OF: Readonly<Record<string, EraName>> = {
  'tasks/update': 'modern',
  'tasks/result': 'legacy',
}

/** Sends a request about a task through the chain of the call that made it, by today's rules. */
export async function callTask(request: Request, world: World): Promise<JsonObject> {
  const { method, params, client } = request
  const { server, tool } = await prepare(request, world, method, async () => {
    const era = ERA_OF[method] ?? client.era
    if (era !== client.era) throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
    if (!ERAS[era].asksForTasks && !declaresTasks(client.capabilities)) throw missingTasks()
    const agent = await agentOf(request, world)
    const ref = world.tasks.find(params['taskId'], ownerOfResults(agent))
    if (!ref) throw unknownTask()
    return { server: ref.server, tool: toolOf(ref, world) }
  })
  if (server === '') {
    const own: Address = { kind: 'exposed', name: tool }
    const inbound = toInbound(request, method, own)
    return world.gateway.ask(inbound, async (call) => answerScriptTask(call, world))
  }
  const address = { kind: 'tool', server, tool } as const
  return world.gateway.call(toInbound(request, method, address))
}

/** The name of a task's tool, whose id may have only a digest of it. */
function toolOf({ server, tool }: TaskRef, { catalog }: World): string {
  const tools = catalog.server(server)?.listing.tools ?? []
  return tools.find(({ name }) => standsFor(tool, name))?.name ?? tool
}

/** Declares task support, which a client of 2025-11-25 must know before it asks for a task. */
export function withTaskSupport(definition: JsonObject): JsonObject {
  const { execution } = definition
  if (isObject(execution) && execution['taskSupport'] !== undefined) return definition
  return {
    ...definition,
    execution: { ...(isObject(execution) && execution), taskSupport: 'optional' },
  }
}

/** Whether such a client may ask for a task of this tool. */
export function supportsTasks(upstream: Upstream, tool: Tool, world: World): boolean {
  return offersTasks(upstream, tool, world.taskOptions)
}

export function hasTasks(upstream: Upstream, world: World): boolean {
  return upstream.listing.tools.some((tool) => supportsTasks(upstream, tool, world))
}
