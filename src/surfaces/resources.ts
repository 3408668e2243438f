import type { Agent } from '../gateway/call.ts'
import type { Upstream } from '../gateway/upstream.ts'
import {
  type CharClass,
  type Step,
  anyChar,
  compileSteps,
  literal,
  many,
  one,
  optional,
} from '../base/linear-matcher.ts'
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

/**
 * Whether a URI could come of an RFC 6570 template. Templates are few and short: no cache. Agents
 * choose the URI, so several `{+path}` in one template must not multiply the ways to read it.
 */
function matches(template: unknown, uri: string): boolean {
  if (typeof template !== 'string') return false
  const steps: Step[] = []
  for (let at = 0; at < template.length;) {
    const open = template.indexOf('{', at)
    const close = open === -1 ? -1 : template.indexOf('}', open)
    const text = close === -1 ? template.slice(at) : template.slice(at, open)
    steps.push(literal(text))
    if (close === -1) break
    steps.push(expression(template[open + 1] ?? ''))
    at = close + 1
  }
  return compileSteps(steps)(uri)
}

/** What the values of an expression may look like, by its operator. */
function expression(operator: string): Step {
  if (operator === '+' || operator === '#') return many(anyChar)
  if (operator === '?' || operator === '&') return optional(one(among('?&')), many(except('#')))
  if (operator === '/') return optional(literal('/'), many(except('?#')))
  return many(except('/?#'))
}

function among(chars: string): CharClass {
  return (char) => chars.includes(char)
}

function except(chars: string): CharClass {
  return (char) => !chars.includes(char)
}
