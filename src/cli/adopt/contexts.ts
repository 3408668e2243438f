import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { ClientProfile } from '../../protocol/client-profiles.ts'
import { loadedTokens } from './loaded-tokens.ts'
import { NAME } from '../connect/connect-client.ts'
import {
  type Candidate,
  type Cost,
  type MeasureOptions,
  measureCosts,
} from '../clients/measure-costs.ts'
import { toServerEntry } from '../clients/to-server-entry.ts'
import { type McpClient, isAccepted, isDeferred, profileOf } from '../clients/client.ts'
import type { AdoptPlan, Kept } from './plan-adopt.ts'

/** What one client puts into the context of every conversation. */
export interface Context {
  readonly servers: number
  readonly tools: number
  readonly tokens: number
  /** Whether models see only names of some tools until they search. */
  readonly namesOnly: boolean
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
  const records = mkdtempSync(join(tmpdir(), 'portolan-count-'))
  const us: Candidate = { name: NAME, entry: entryToCount(portolan, records) }
  const staying = kept.flatMap((one) => stayingOf(one, options))
  const all = [...moved, ...staying.map(({ candidate }) => candidate), us]
  const count = async (): Promise<Map<Candidate, Cost>> =>
    options.count ? measureCosts(all, options) : new Map()
  const costs = await count().finally(() => rmSync(records, { recursive: true, force: true }))
  const reached = (client: McpClient, servers: readonly Listed[]) =>
    contextOf(servers, costs, profileOf(client))
  const loaded: Listed = { candidate: us, isDeferred: false }
  const stays = (client: McpClient, isAfter: boolean) =>
    staying.filter((one) => one.client === client && !(isAfter && one.isLeft))
  return {
    before(client, isConnected) {
      const own = moved.flatMap((candidate) => {
        const found = candidate.found.find((each) => each.client === client)
        return found ? [{ candidate, isDeferred: isDeferred(client, found.entry) }] : []
      })
      return reached(client, [...own, ...stays(client, false), ...(isConnected ? [loaded] : [])])
    },
    after: (client) => reached(client, [...stays(client, true), loaded]),
    errorOf: (server) => costs.get(server)?.error,
  }
}

/**
 * Portolan for counting its tools alone: it leaves no gateway in the background, and nobody finds it
 * among the agents, as its records go to a folder that is removed.
 */
function entryToCount(entry: JsonObject, records: string): JsonObject {
  if (entry['command'] === undefined) return entry
  const own = { PORTOLAN_ALONE: '1', PORTOLAN_AUDIT_PATH: join(records, 'audit.jsonl') }
  return { ...entry, env: { ...(isObject(entry['env']) && entry['env']), ...own } }
}

/** A server as one client has it. */
interface Listed {
  readonly candidate: Candidate
  readonly isDeferred: boolean
}

interface Staying extends Listed {
  readonly client: McpClient
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
  const { client } = found
  const candidate = { name: found.name, entry }
  return [{ client, candidate, isLeft, isDeferred: isDeferred(client, found.entry) }]
}

function contextOf(
  servers: readonly Listed[],
  costs: ReadonlyMap<Candidate, Cost>,
  profile: ClientProfile | undefined,
): Context {
  const enabled = servers.filter(({ candidate }) => candidate.entry?.['disabled'] !== true)
  const known = enabled.flatMap(({ candidate, isDeferred: namesOnly }) => {
    const cost = costs.get(candidate)
    return cost?.tools === undefined ? [] : [{ ...cost, tools: cost.tools, namesOnly }]
  })
  const tokensOf = ({ namesOnly, definitions }: (typeof known)[number]) =>
    definitions.reduce((sum, one) => sum + loadedTokens(one, namesOnly, profile), 0)
  return {
    servers: enabled.length,
    tools: known.reduce((sum, { tools }) => sum + tools, 0),
    tokens: known.reduce((sum, cost) => sum + tokensOf(cost), 0),
    namesOnly: known.some(({ namesOnly }) => namesOnly),
    unknown: enabled
      .filter(({ candidate }) => costs.get(candidate)?.tools === undefined)
      .map(({ candidate }) => candidate.name),
  }
}
