import type { Agent } from '../../gateway/call.ts'
import type { ToolRef } from '../../gateway/tools/tool-ref.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { findTemplate } from './resources.ts'
import { type World, permittedServers } from '../world.ts'

export function listPrompts(agent: Agent, world: World): JsonObject[] {
  return permittedServers(world, agent).flatMap(({ name, listing }) =>
    listing.prompts.map((prompt) => ({
      ...prompt,
      name: world.catalog.prompts.nameOf({ server: name, name: String(prompt['name']) }),
    })),
  )
}

/** Finds a prompt by its exposed name, or by its own if only one server has such a prompt. */
export function findPrompt(given: unknown, agent: Agent, world: World): ToolRef {
  const { catalog, policy } = world
  const name = String(given)
  const servers = permittedServers(world, agent)
  const exposed = catalog.prompts.find(name)
  if (exposed && servers.some((server) => server.name === exposed.server)) return exposed
  // A name given for a prompt of a removed server must not come to mean another prompt.
  const isGone = exposed !== undefined && !catalog.server(exposed.server)
  if (isGone && policy.server(agent, exposed.server).effect === 'allow')
    throw new RpcError(
      RPC.invalidParams,
      `Unknown prompt: ${name}. It was of server '${exposed.server}', which is no longer configured. List the prompts again.`,
    )
  const owners = servers.filter(({ listing }) =>
    listing.prompts.some((prompt) => prompt['name'] === name),
  )
  const [owner, ...others] = owners
  if (owner && others.length === 0) return { server: owner.name, name }
  if (!owner) throw new RpcError(RPC.invalidParams, `Unknown prompt: ${name}`)
  const names = owners.map((server) => catalog.prompts.nameOf({ server: server.name, name }))
  const message = `Several servers have a prompt ${name}. Name one of them: ${names.join(', ')}`
  throw new RpcError(RPC.invalidParams, message)
}

/** Returns the server that completes an argument, and the reference as that server knows it. */
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
  const { server, uri } = findTemplate(ref['uri'], agent, world)
  return { server: server.name, params: { ...params, ref: { ...ref, uri } } }
}
