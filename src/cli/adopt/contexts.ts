import type { JsonObject } from '../../base/json/json.ts'
import { NAME } from '../connect/run-connect.ts'
import {
  type Candidate,
  type Cost,
  type MeasureOptions,
  measureCosts,
} from '../import/measure-costs.ts'
import { toServerEntry } from '../shared/clients/to-server-entry.ts'
import { type McpClient, isAccepted } from '../shared/clients/client.ts'
import type { AdoptPlan, Kept } from './plan-adopt.ts'

/** What one client puts into the context of every conversation. */
export interface Context {
  readonly servers: number
  readonly tools: number
  readonly tokens: number
  /** Servers that could not be asked, whose tools are missing in the sums. */
  readonly unknown: readonly string[]
}

/** The contexts of the clients before and after they adopt Portolan. */
export interface Contexts {
  before(client: McpClient, isConnected: boolean): Context
  after(client: McpClient): Context
  /** Why a server could not be asked. */
  errorOf(server: Candidate): string | undefined
}

/**
 * Starts or contacts every server that a client has now, and Portolan as the client will start it,
 * and lists their tools.
 */
export async function measureContexts(
  { moved, kept }: AdoptPlan,
  portolan: JsonObject,
  options: MeasureOptions & { readonly count: boolean },
): Promise<Contexts> {
  const us: Candidate = { name: NAME, entry: portolan }
  const staying = kept.flatMap((one) => stayingOf(one, options))
  const all = [...moved, ...staying.map(({ candidate }) => candidate), us]
  const costs = options.count ? await measureCosts(all, options) : new Map<Candidate, Cost>()
  const reached = (servers: readonly Candidate[]) => contextOf(servers, costs)
  const stays = (client: McpClient, isAfter: boolean) =>
    staying
      .filter((one) => one.client === client && !(isAfter && one.isLeft))
      .map(({ candidate }) => candidate)
  return {
    before(client, isConnected) {
      const own = moved.filter(({ found }) => found.some((each) => each.client === client))
      return reached([...own, ...stays(client, false), ...(isConnected ? [us] : [])])
    },
    after: (client) => reached([...stays(client, true), us]),
    errorOf: (server) => costs.get(server)?.error,
  }
}

interface Staying {
  readonly client: McpClient
  readonly candidate: Candidate
  /** Whether it stays in its file and the client leaves it to Portolan. */
  readonly isLeft: boolean
}

/**
 * Returns nothing for a server of another project, which is not in the context of this one. A
 * server that may have come with the folder is not started, so its tools are not counted.
 */
function stayingOf({ found, isLeft = false }: Kept, { machine }: MeasureOptions): Staying[] {
  if (found.elsewhere !== undefined) return []
  const converted = toServerEntry(found, machine)
  const isStarted = isLeft || isAccepted(found.clientConfig, machine)
  const entry = isStarted && 'entry' in converted ? converted.entry : undefined
  return [{ client: found.client, candidate: { name: found.name, entry }, isLeft }]
}

function contextOf(servers: readonly Candidate[], costs: ReadonlyMap<Candidate, Cost>): Context {
  const enabled = servers.filter(({ entry }) => entry?.['disabled'] !== true)
  const known = enabled.flatMap((server) => costs.get(server) ?? [])
  return {
    servers: enabled.length,
    tools: known.reduce((sum, { tools = 0 }) => sum + tools, 0),
    tokens: known.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    unknown: enabled
      .filter((server) => costs.get(server)?.tools === undefined)
      .map(({ name }) => name),
  }
}
