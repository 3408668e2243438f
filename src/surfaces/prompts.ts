import type { Agent } from '../gateway/call.ts'
import type { ToolRef } from '../gateway/tool-ref.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../base/json.ts'
import { serverOfResource } from './resources.ts'
import { type World, permittedServers } from './world.ts'

export function listPrompts(agent: Agent, world: World): JsonObject[] {
  return permittedServers(world, agent).flatMap(({ name, listing }) =>
    listing.prompts.map((prompt) => ({
      ...prompt,
      name: world.catalog.prompts.nameOf({ server: name, name: String(prompt['name']) }),
    })),
  )
}

export function findPrompt(exposed: unknown, agent: Agent, world: World): ToolRef {
  const found = world.catalog.prompts.find(String(exposed))
  if (found && world.policy.server(agent, found.server).effect === 'allow') return found
  throw new RpcError(RPC.invalidParams, `Unknown prompt: ${String(exposed)}`)
}

/** Which server completes an argument, and the reference as that server knows it. */
export function toCompletion(
  params: JsonObject,
  agent: Agent,
  world: World,
): { server: string; params: JsonObject } {
  const { ref } = params
  if (!isObject(ref)) throw new RpcError(RPC.invalidParams, '"ref" must be an object')
  if (ref['type'] === 'ref/prompt') {
    const { server, name } = findPrompt(ref['name'], agent, world)
    return { server, params: { ...params, ref: { ...ref, name } } }
  }
  const uri = ref['uri']
  const owner = permittedServers(world, agent).find(({ listing }) =>
    listing.resourceTemplates.some((template) => template['uriTemplate'] === uri),
  )
  return { server: (owner ?? serverOfResource(uri, agent, world)).name, params }
}
