import type { Agent } from '../gateway/call.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import type { JsonObject } from '../base/json.ts'
import { type Offer, type World, permittedServers } from './world.ts'

export function listResources(agent: Agent, world: World): JsonObject[] {
  return permittedServers(world, agent).flatMap(({ listing }) => listing.resources)
}

export function listResourceTemplates(agent: Agent, world: World): JsonObject[] {
  return permittedServers(world, agent).flatMap(({ listing }) => listing.resourceTemplates)
}

/** The server that a URI belongs to: the one that lists it, or has a template for it, or is alone. */
export function serverOfResource(uri: unknown, agent: Agent, world: Offer): Upstream {
  if (typeof uri !== 'string') throw new RpcError(RPC.invalidParams, '"uri" must be a string')
  const servers = permittedServers(world, agent)
  const withResources = servers.filter(
    ({ listing }) => listing.capabilities['resources'] !== undefined,
  )
  const owner =
    servers.find(({ listing }) => listing.resources.some((resource) => resource['uri'] === uri)) ??
    servers.find(({ listing }) =>
      listing.resourceTemplates.some((template) => matches(template['uriTemplate'], uri)),
    ) ??
    (withResources.length === 1 ? withResources[0] : undefined)
  if (owner) return owner
  throw new RpcError(RPC.invalidParams, `Resource not found: ${uri}`, { uri })
}

/** Whether a URI could come of an RFC 6570 template. Templates are few and short: no cache. */
function matches(template: unknown, uri: string): boolean {
  if (typeof template !== 'string') return false
  const pattern = template
    .split(/(\{[^}]*\})/)
    .map((part) => (part.startsWith('{') ? expression(part) : escape(part)))
    .join('')
  return new RegExp(`^${pattern}$`).test(uri)
}

function expression(part: string): string {
  const operator = part[1] ?? ''
  if (operator === '+' || operator === '#') return '.*'
  if (operator === '?' || operator === '&') return '(?:[?&][^#]*)?'
  if (operator === '/') return '(?:/[^/?#]*)*'
  return '[^/?#]*'
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
