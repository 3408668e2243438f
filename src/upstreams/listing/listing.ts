import { messageOf } from '../../base/errors.ts'
import type { LeftOut, Listing, Tool } from '../../gateway/upstream.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { skillsOf } from '../../protocol/skills.ts'
import type { Link } from '../link.ts'
import type { ListName } from './check-definition.ts'
import { type CheckListOptions, MAX_LIST_CHARS, checkList } from './check-list.ts'
import { compileBudget, withUsableOutput } from './output-schema.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { withTimeout } from '../../base/flow/time.ts'
import {
  type HeaderMark,
  headerMarks,
  invalidMarks,
  paramHeaders,
} from '../../protocol/param-headers.ts'

export const EMPTY_LISTING: Listing = {
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
  capabilities: {},
  instructions: undefined,
  serverInfo: undefined,
}

const MAX_PAGES = 1000
/** How long a server may take for one page. Without a limit, one lost answer would be waited for. */
const PAGE_MS = 60_000

export interface FetchOptions {
  /** Whether the server is at a URL, where arguments may be repeated in headers. */
  readonly isHttp?: boolean
  /** What was listed before: it is kept of each list that the server fails to give. */
  readonly before?: Listing
  readonly log?: (line: string) => void
  /** The kind of connection, if servers may list other things on others. */
  readonly variant?: string | undefined
}

/** Asks a server for everything it offers, in its own order. */
export async function fetchListing(
  server: string,
  link: Link,
  { isHttp = false, before = EMPTY_LISTING, log, variant }: FetchOptions = {},
): Promise<Listing> {
  const { capabilities, instructions, serverInfo } = link
  const offers = (name: string) => capabilities[name] !== undefined
  const failed: LeftOut[] = []
  /** The tools are used even if another list fails. */
  const rest = async (key: Exclude<ListName, 'tools'>): Promise<readonly unknown[]> =>
    pages(link, key).catch((error: unknown) => {
      // A server may declare resources or prompts without listing them.
      if (error instanceof RpcError && error.code === RPC.methodNotFound) return []
      const name = METHODS[key]
      log?.(`${name} failed: ${messageOf(error)}`)
      const reason = 'the server failed to answer it, so what it listed before is kept'
      failed.push({ kind: 'list', name, reason })
      return before[key] ?? []
    })
  const [tools, resources, resourceTemplates, prompts, skills] = await Promise.all([
    offers('tools') ? pages(link, 'tools') : [],
    offers('resources') ? rest('resources') : [],
    offers('resources') ? rest('resourceTemplates') : [],
    offers('prompts') ? rest('prompts') : [],
    skillsOf(capabilities) ? rest('skills') : undefined,
  ])
  const lists = checkLists(
    { tools, resources, resourceTemplates, prompts, skills },
    {
      maxChars: MAX_LIST_CHARS,
      refusal: isHttp ? ({ inputSchema }) => invalidMarks(inputSchema) : undefined,
    },
  )
  const definitions: JsonObject[] = []
  const budget = compileBudget()
  for (const tool of lists.tools) definitions.push(await withUsableOutput(tool, link.era, budget))
  return {
    ...lists,
    tools: definitions.map((definition) => toTool(server, definition)),
    leftOut: [...lists.leftOut, ...failed],
    ...(variant !== undefined && { variant }),
    capabilities,
    instructions,
    serverInfo,
  }
}

/** The lists of a server as it sent them. */
type GivenLists = Readonly<Record<Exclude<ListName, 'skills'>, readonly unknown[]>> & {
  readonly skills: readonly unknown[] | undefined
}

/** Checks all lists of a server, with these options for its tools. */
export function checkLists(given: GivenLists, options?: CheckListOptions) {
  const tools = checkList('tools', given.tools, options)
  const resources = checkList('resources', given.resources)
  const resourceTemplates = checkList('resourceTemplates', given.resourceTemplates)
  const prompts = checkList('prompts', given.prompts)
  const skills = given.skills && checkList('skills', given.skills)
  const all = [tools, resources, resourceTemplates, prompts, skills]
  return {
    tools: tools.entries,
    resources: resources.entries,
    resourceTemplates: resourceTemplates.entries,
    prompts: prompts.entries,
    skills: skills?.entries,
    leftOut: all.flatMap((list) => list?.leftOut ?? []),
  }
}

export function toTool(server: string, definition: JsonObject): Tool {
  const annotations = isObject(definition['annotations']) ? definition['annotations'] : {}
  return {
    server,
    name: String(definition['name']),
    definition,
    readOnly: annotations['readOnlyHint'] === true,
  }
}

/** The method that requests each list. */
const METHODS: Readonly<Record<ListName, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
  skills: 'skills/list',
}

/** Returns all entries of a list; a page that comes twice is the last. */
async function pages(link: Link, key: ListName): Promise<unknown[]> {
  const method = METHODS[key]
  const items: unknown[] = []
  const cursors = new Set<unknown>()
  let cursor: unknown
  while (cursors.size < MAX_PAGES) {
    const result = await inTime(link, method, cursor === undefined ? {} : { cursor })
    const part = result[key]
    if (Array.isArray(part)) for (const item of part) items.push(item)
    cursor = result['nextCursor']
    if (typeof cursor !== 'string' || cursors.has(cursor)) break
    cursors.add(cursor)
  }
  return items
}

async function inTime(link: Link, method: string, params: JsonObject): Promise<JsonObject> {
  const canceller = new Canceller()
  return withTimeout(link.request(method, params, { signal: canceller }), PAGE_MS, () => {
    const late = new Error(`it did not answer ${method} within ${PAGE_MS} ms`)
    canceller.abort(late)
    throw late
  })
}

const marks = new WeakMap<Listing, Map<string, readonly HeaderMark[]>>()

/** Returns the tools of a listing that want arguments repeated in headers: few, mostly none. */
export function marksOf(listing: Listing): Map<string, readonly HeaderMark[]> {
  const known = marks.get(listing)
  if (known) return known
  const found = new Map(
    listing.tools
      .map(({ name, definition }) => [name, headerMarks(definition['inputSchema'])] as const)
      .filter(([, list]) => list.length > 0),
  )
  marks.set(listing, found)
  return found
}

/** The headers that repeat arguments of a call. */
export function mirroredHeaders(
  listing: Listing,
  params: JsonObject,
): Record<string, string> | undefined {
  const wanted = marksOf(listing).get(String(params['name']))
  return wanted && paramHeaders(wanted, params['arguments'])
}
