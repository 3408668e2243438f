import type { Agent, Client } from '../../gateway/call.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import {
  type CharClass,
  type Step,
  anyChar,
  compileSteps,
  literal,
  many,
  one,
  optional,
} from '../../base/text/linear-matcher.ts'
import { exposedUri, parseExposedUri } from '../../gateway/tools/resource-uri.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { skillFile } from './skills.ts'
import { type Offer, listingFor, permittedServers } from '../world.ts'

export function listResources(agent: Agent, world: Offer, client: Client): JsonObject[] {
  return permittedServers(world, agent).flatMap((server) => listingFor(server, client).resources)
}

export function listResourceTemplates(agent: Agent, world: Offer, client: Client): JsonObject[] {
  const servers = permittedServers(world, agent)
  return servers.flatMap((server) => listingFor(server, client).resourceTemplates)
}

/** A resource that a client named, under its exposed URI, which no other server's resource has. */
export interface Resource {
  readonly server: Upstream
  readonly uri: string
}

/**
 * Finds the resource that a URI names: by its exposed URI, or by the server's own URI if only one
 * server could mean it. Another server with the same URI makes it ambiguous, but never makes it
 * mean something else.
 */
export function findResource(uri: unknown, agent: Agent, world: Offer): Resource {
  if (typeof uri !== 'string') throw new RpcError(RPC.invalidParams, '"uri" must be a string')
  const servers = permittedServers(world, agent)
  const named = parseExposedUri(uri)
  // The named server decides even if the agent may not use it: no other may answer instead.
  if (named && world.catalog.server(named.server)) {
    const server = servers.find(({ name }) => name === named.server)
    return server ? { server, uri: exposedUri(named.server, named.uri) } : notFound(uri)
  }
  const offering = servers.filter((server) => offers(server, uri))
  const candidates = offering.length > 0 ? offering : servers.filter(hasResources)
  const [server, ...others] = candidates
  if (server && others.length === 0) return { server, uri: exposedUri(server.name, uri) }
  if (offering.length > 1) throw ambiguous(uri, offering)
  return notFound(uri)
}

/** Finds the template that a client named, in either form, and its server. */
export function findTemplate(uriTemplate: unknown, agent: Agent, world: Offer): Resource {
  const owners = permittedServers(world, agent).filter(({ name, listing }) =>
    listing.resourceTemplates.some(
      (template) => template['uriTemplate'] === exposedUri(name, String(uriTemplate)),
    ),
  )
  const [server, ...others] = owners
  if (others.length > 0) throw ambiguous(String(uriTemplate), owners)
  if (server) return { server, uri: exposedUri(server.name, String(uriTemplate)) }
  return findResource(uriTemplate, agent, world)
}

/** Returns a function that restores the URI that the client asked for, if it is not exposed. */
export function inTermsOf(
  { uri: asked }: JsonObject,
  exposed: string,
): ((result: JsonObject) => JsonObject) | undefined {
  if (asked === exposed) return undefined
  return (result) => {
    const { contents } = result
    if (!Array.isArray(contents)) return result
    const named = contents.map((content: unknown) =>
      isObject(content) && content['uri'] === exposed ? { ...content, uri: asked } : content,
    )
    return { ...result, contents: named }
  }
}

/** Whether a server may have unlisted resources; a built-in with skills lists all of them. */
function hasResources({ listing: { capabilities, skills }, kind }: Upstream): boolean {
  return capabilities['resources'] !== undefined && (kind !== 'in-process' || skills === undefined)
}

/** Whether a server lists the resource, or has a template for it. */
function offers(upstream: Upstream, uri: string): boolean {
  const { name, listing } = upstream
  const exposed = exposedUri(name, uri)
  return (
    listing.resources.some((resource) => resource['uri'] === exposed) ||
    skillFile(upstream, exposed) !== undefined ||
    listing.resourceTemplates.some(({ uriTemplate }) => {
      const own = typeof uriTemplate === 'string' ? parseExposedUri(uriTemplate)?.uri : undefined
      return own !== undefined && matches(own, uri)
    })
  )
}

function notFound(uri: string): never {
  throw new RpcError(RPC.invalidParams, `Resource not found: ${uri}`, { uri })
}

function ambiguous(uri: string, owners: readonly Upstream[]): RpcError {
  const uris = owners.map(({ name }) => exposedUri(name, uri))
  return new RpcError(
    RPC.invalidParams,
    `Several servers have a resource ${uri}. Name one of them: ${uris.join(', ')}`,
    { uri, uris },
  )
}

/**
 * Whether a URI could come from an RFC 6570 template. Templates are few and short, so none are
 * cached. Agents choose the URI, so several `{+path}` in one template must not cause backtracking.
 */
function matches(template: string, uri: string): boolean {
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

/** Returns the form that the values of an expression may have, by its operator. */
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
