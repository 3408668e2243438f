import type { Agent, Client } from '../../gateway/call.ts'
import type { ToolRef } from '../../gateway/tools/tool-ref.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { findTemplate } from './resources.ts'
import { type Offer, type World, listingFor, permittedServers } from '../world.ts'

export function listPrompts(agent: Agent, world: Offer, client: Client): JsonObject[] {
  return permittedServers(world, agent).flatMap((server) =>
    listingFor(server, client).prompts.map((prompt) => ({
      ...prompt,
      name: world.catalog.prompts.nameOf({ server: server.name, name: String(prompt['name']) }),
    })),
  )
}

/** Finds a prompt by its exposed name, or by its own if only one server has such a prompt. */
export function findPrompt(given: unknown, agent: Agent, world: Offer, client?: Client): ToolRef {
  const { catalog } = world
  const { prompts } = catalog
  const name = String(given)
  const refs = permittedServers(world, agent).flatMap((server) =>
    listingFor(server, client).prompts.map((prompt) => ({
      server: server.name,
      name: String(prompt['name']),
    })),
  )
  const exposed = refs.find((ref) => prompts.nameOf(ref) === name)
  if (exposed) return exposed
  const owners = catalog.mayBeBare(name) ? refs.filter((ref) => ref.name === name) : []
  const [owner, ...others] = owners
  if (owner && others.length === 0) return owner
  if (!owner) throw new RpcError(RPC.invalidParams, `Unknown prompt: ${name}`)
  const names = owners.map((ref) => prompts.nameOf(ref))
  const message = `Several servers have a prompt ${name}. Name one of them: ${names.join(', ')}`
  throw new RpcError(RPC.invalidParams, message)
}

/** Returns the server that completes an argument, and the reference as that server knows it. */
export function toCompletion(
  params: JsonObject,
  agent: Agent,
  world: World,
  client?: Client,
): { server: string; params: JsonObject } {
  const { ref } = params
  if (!isObject(ref)) throw new RpcError(RPC.invalidParams, '"ref" must be an object')
  if (ref['type'] === 'ref/prompt') {
    const { server, name } = findPrompt(ref['name'], agent, world, client)
    return { server, params: { ...params, ref: { ...ref, name } } }
  }
  const { server, uri } = findTemplate(ref['uri'], agent, world)
  return { server: server.name, params: { ...params, ref: { ...ref, uri } } }
}
