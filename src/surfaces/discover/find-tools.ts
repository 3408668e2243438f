import { turns } from '../../base/flow/turns.ts'
import { rootOf } from '../../gateway/agents/policy.ts'
import type { Decision } from '../../gateway/agents/decision.ts'
import { isForModels } from '../../gateway/tools/app-tools.ts'
import { toolIn } from '../../gateway/catalog.ts'
import type { Listing, Tool, Upstream } from '../../gateway/upstream.ts'
import { heldIn, reviewCommand } from '../../gateway/names/held-tool.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { listUnlisted, isUnlisted } from '../unlisted.ts'
import { requestsOf, serversNamedIn } from '../tool-search/read-request.ts'
import { NEXT, searchTools } from '../tool-search/search-tools.ts'
import { findSkills } from '../tool-search/skill-index.ts'
import { standingOf } from '../tool-search/standing.ts'
import { type World, listingFor, permittedServers } from '../world.ts'
import { ALWAYS_LOADED, type MetaTool, answerWith, inputSchema } from './meta-tool.ts'

/** The most other wordings of a query; each is a search of its own. */
const MAX_WORDINGS = 5

export const findToolsTool: MetaTool = {
  definition: {
    name: 'find_tools',
    description:
      "Search tools, resources and prompts by what they do; a product's terms find most. Gives signatures for execute_tool.",
    inputSchema: inputSchema(
      {
        query: { type: 'string', description: 'What to do; several things between ";"' },
        also: {
          type: 'array',
          items: { type: 'string' },
          description: `${MAX_WORDINGS} other wordings`,
        },
        limit: { type: 'integer', description: '5 when not given' },
        servers: { type: 'array', items: { type: 'string' } },
        max_tokens: { type: 'integer' },
        explain: { type: 'boolean' },
      },
      ['query'],
    ),
    annotations: { readOnlyHint: true },
    _meta: ALWAYS_LOADED,
  },
  async answer(args, call, world) {
    const { requests, wordings, cut } = boundedRequests(args.required('query'), args.names('also'))
    const permitted = permittedServers(world, call.agent)
    await listUnlisted(call.agent, call.client, world)
    const listings = new Map(
      permitted.map((server) => [server.name, listingFor(server, call.client)]),
    )
    /** The tool as this person and their client have it: the index has those of all. */
    const seen = ({ server, name }: Tool) => {
      const listing = listings.get(server)
      return listing && toolIn(listing, name)
    }
    const index = world.toolIndex()
    const [meanings, standing] = await Promise.all([
      world.toolMeanings?.near(requests),
      standingOf(permitted, world.usedBefore(call.agent.id)),
    ])
    const said = [
      meanings?.note,
      stillStarting(permitted),
      ...downThoughNamed(requests, permitted),
      waitsForSignIn(permitted),
      cut ? ONLY_FIRST : undefined,
    ]
    const notes = said.filter((text) => text !== undefined)
    const asked = args.names('servers')
    const isAsked = (server: string) =>
      listings.has(server) && (asked === undefined || asked.includes(server))
    // The vectors above were a piece of work of their own.
    await turns.take(rootOf(call.agent), call.signal)
    const besides = foundBesides(requests, isAsked, world)
    const maxTokens = args.positive('max_tokens')
    const tokensOf = (value: JsonObject) => world.countTokens(JSON.stringify(value))
    const answer = searchTools(index, {
      requests,
      wordings,
      meanings: meanings?.nearness,
      standing,
      down: new Set(permitted.filter(isDown).map(({ name }) => name)),
      servers: asked,
      seen,
      limit: args.positive('limit'),
      maxTokens,
      otherTokens: besides.reduce((sum, part) => sum + tokensOf(part), 0),
      explain: args.flag('explain'),
      asks: (tool) => needsApproval(world.policy.tool(call.agent, tool.server, tool.name)),
      permits: (tool) =>
        seen(tool) !== undefined &&
        isForModels(tool) &&
        world.policy.tool(call.agent, tool.server, tool.name).effect === 'allow',
    })
    const found = Array.isArray(answer['tools']) ? answer['tools'].length : 0
    call.event.toolsReturned = found
    const isAllowed = (server: string, tool: string) =>
      isAsked(server) && world.policy.tool(call.agent, server, tool).effect === 'allow'
    const noted = {
      ...answer,
      ...heldThoughAsked(requests, listings, isAllowed),
      ...(notes.length > 0 && { note: notes.join(' ') }),
    }
    const whole = besides.reduce((sum: JsonObject, part) => {
      const more = { ...sum, ...part, ...(found === 0 && 'also' in part && { next: NEXT }) }
      return tokensOf(more) > (maxTokens ?? Infinity) ? sum : more
    }, noted)
    return answerWith(whole, whole)
  },
}

const MAX_HELD = 3

/** Names tools that a request is about, and that wait for somebody to accept what has changed. */
function heldThoughAsked(
  requests: readonly string[],
  listings: ReadonlyMap<string, Listing>,
  isAllowed: (server: string, tool: string) => boolean,
): JsonObject {
  const words = new Set(requests.flatMap(wordsOf))
  const found = [...listings].flatMap(([server, listing]) =>
    heldIn(listing).flatMap(({ kind, name, held }) =>
      kind === 'tool' &&
      held?.hold === 'definition' &&
      isAllowed(server, name) &&
      wordsOf(name).some((word) => words.has(word))
        ? [{ server, name }]
        : [],
    ),
  )
  const [first] = found
  if (!first) return {}
  return {
    held_now: found.slice(0, MAX_HELD).map(({ server, name }) => `${server}.${name}`),
    held_until: `your operator accepts what has changed: ${reviewCommand(first.server)}`,
  }
}

function wordsOf(text: string): string[] {
  return (
    text
      .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? []
  )
}

function needsApproval(decision: Decision): boolean {
  return decision.effect === 'allow' && decision.grant.ask !== undefined
}

/** Resources and prompts follow the tools and are few, so they cost little where unwanted. */
const MAX_ASSETS = 3

/** Returns what fits the requests besides tools, in the order of importance. */
function foundBesides(
  requests: readonly string[],
  accept: (server: string) => boolean,
  world: World,
): JsonObject[] {
  const also = world.assetIndex().search(requests, { limit: MAX_ASSETS, accept })
  const skills = findSkills(world.skillIndex(), requests, accept)
  return [
    ...(also.length > 0 ? [{ also }] : []),
    ...(skills.length > 0 ? [{ skills, read_skill: 'read_result(handle: its uri)' }] : []),
  ]
}

/** The most requests in one query; each is a separate search on the main thread. */
const MAX_REQUESTS = 8
/** Searches take longer with each word: 2,000 characters took 18 ms of the main thread. */
const MAX_QUERY = 300
const ONLY_FIRST = `Only the first ${MAX_REQUESTS} requests and wordings, and ${MAX_QUERY} characters of each, were searched. Ask for the others in another search.`

/**
 * Splits a query into requests, and adds its other wordings, which are searched whole; all limited in
 * number and length.
 */
export function boundedRequests(
  query: string,
  also: readonly string[] = [],
): {
  readonly requests: readonly string[]
  /** How many of the requests, the last ones, are other wordings. */
  readonly wordings: number
  readonly cut: boolean
} {
  const others = also.slice(0, MAX_WORDINGS).map((wording) => wording.slice(0, MAX_QUERY))
  const asked = requestsOf(query.slice(0, MAX_QUERY))
  const steps = asked.slice(0, MAX_REQUESTS - others.length)
  const isTooLong = [query, ...also].some(({ length }) => length > MAX_QUERY)
  return {
    requests: [...steps, ...others],
    wordings: others.length,
    cut: isTooLong || asked.length > steps.length || also.length > others.length,
  }
}

function isDown({ status }: Upstream): boolean {
  return status.state === 'down'
}

/** Names servers that a request means, and that have never listed a tool that could be found. */
function downThoughNamed(requests: readonly string[], servers: readonly Upstream[]): string[] {
  const unknown = servers.filter((server) => isDown(server) && server.listing.tools.length === 0)
  const names = unknown.map(({ name }) => name)
  const meant = new Set(requests.flatMap((request) => [...serversNamedIn(request, names)]))
  return [...meant].map(
    (name) => `${name} is down and has listed no tools yet; get_gateway_status says why.`,
  )
}

/** Returns a note on servers that are not searched because they have not been listed yet. */
function stillStarting(servers: readonly Upstream[]): string | undefined {
  const names = servers.filter(isUnlisted).map(({ name }) => name)
  if (names.length === 0) return undefined
  return `Still starting, so not searched: ${names.join(', ')}. Ask again in a moment.`
}

/** Returns a note on servers whose tools can only be called once the person has signed in. */
function waitsForSignIn(servers: readonly Upstream[]): string | undefined {
  const names = servers
    .filter(({ status }) => status.state === 'down' && status.isSignInNeeded === true)
    .map(({ name }) => name)
  if (names.length === 0) return undefined
  return `${names.join(', ')} waits for a sign-in; get_gateway_status says where.`
}
