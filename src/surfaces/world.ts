import type { Catalog } from '../gateway/catalog.ts'
import type { GatewayError } from '../gateway/errors.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Agent, Client } from '../gateway/call.ts'
import type { Budgets, Shaper } from '../gateway/layers/budgets.ts'
import type { AgentDirectory } from '../gateway/layers/identify.ts'
import type { TaskOptions } from '../gateway/layers/tasks.ts'
import { asSeenBy, ownerOfResults } from '../gateway/agents/on-behalf-of.ts'
import type { Policy, Principal } from '../gateway/agents/policy.ts'
import type { Tasks } from '../gateway/tasks/tasks.ts'
import type { Listing, Tool, Upstream } from '../gateway/upstream.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { SavedScripts } from '../protocol/saved-scripts.ts'
import type { SurfaceName } from '../gateway/request.ts'
import type { Handles, ResultReader } from '../shaping/handles.ts'
import type { ScriptRunner } from './scripts/script-runner.ts'
import type { AssetIndex } from './tool-search/asset-index.ts'
import type { ToolIndex } from './tool-search/tool-index.ts'
import type { ToolMeanings } from './tool-search/tool-meanings.ts'

/** Everything a surface shows, by one configuration. A reload creates a new one. */
export interface World {
  readonly gateway: Gateway
  /** The newest world, for what goes on after a person was asked, under the rules of that time. */
  readonly latest: () => World
  readonly catalog: Catalog
  readonly policy: Policy
  readonly budgets: Budgets
  readonly identify: AgentDirectory['identify']
  readonly surfaceOf: (agent: Principal) => SurfaceName
  /** What the toolset of an agent tells it. */
  readonly instructionsOf: (agent: Principal) => string | undefined
  /** Returns why there is no toolset of this name; undefined if there is one. */
  readonly toolsetProblem: (name: string) => GatewayError | undefined
  /** `server.tool` names that are listed beside the discovery tools. */
  readonly pinsOf: (agent: Principal) => readonly string[]
  /** Where a server is, for callers that ask for metadata; secrets are left out. */
  readonly locate: (server: string) => Location
  /** When to use a server, if it is a built-in. */
  readonly adviceOf: (server: string) => string | undefined
  readonly countTokens: (text: string) => number
  /** The index of all tools; the policy decides what an agent may see of it. */
  readonly toolIndex: () => ToolIndex
  /** The index of all resources and prompts, likewise. */
  readonly assetIndex: () => AssetIndex
  /** The same for skills, each as a tool would be: its name and its description. */
  readonly skillIndex: () => ToolIndex
  /** The keys of the tools that an agent has recently called with success. */
  readonly usedBefore: (agent: string) => ReadonlySet<string>
  /** Ranks tools by meaning; absent if search is by words alone. */
  readonly toolMeanings: ToolMeanings | undefined
  /** Whole results, which agents read by handle. */
  readonly storedResults: Pick<Handles, 'read' | 'json' | 'keep' | 'original'>
  /** Shortens results of the gateway's own tools to their limit. */
  readonly shaper: Shaper
  /** Runs the scripts of agents that may run them. */
  readonly scripts: ScriptRunner
  /** The store where scripts are saved and approved. */
  readonly savedScripts: () => Promise<SavedScripts>
  /** Knows the owner and the place of each task. */
  readonly tasks: Tasks
  readonly taskOptions: TaskOptions
  /** What agents should know of the configuration besides its content, such as files left out. */
  readonly notes: readonly string[]
  readonly status: (agent: Agent) => JsonObject
  readonly mint: (agent: Agent, options: MintOptions) => JsonObject
}

export interface Location {
  readonly transport: string | null
  readonly command: string | null
  readonly url: string | null
}

interface MintOptions {
  readonly agent: string
  readonly ttlMs: number | undefined
  readonly servers: readonly string[] | undefined
  readonly tools: Readonly<Record<string, readonly string[]>> | undefined
}

/** The part of a world that says what exists, and who may use it. */
export type Offer = Pick<World, 'catalog' | 'policy'>

/** Returns the servers that an agent may use, as the person behind it has them. */
export function permittedServers({ catalog, policy }: Offer, agent: Agent): Upstream[] {
  return catalog.servers
    .filter(({ name }) => policy.server(agent, name).effect === 'allow')
    .map((server) => asSeenBy(server, agent))
}

/** Returns the tools that an agent may use, as `client` is offered them, if there is one. */
export function permittedTools(
  { policy }: Offer,
  agent: Agent,
  upstream: Upstream,
  client?: Client,
): Tool[] {
  return listingFor(upstream, client).tools.filter(
    ({ name }) => policy.tool(agent, upstream.name, name).effect === 'allow',
  )
}

/** Returns the listing of a server for one client. */
export function listingFor(upstream: Upstream, client: Client | undefined): Listing {
  return (client && upstream.listingFor?.(client)) ?? upstream.listing
}

/** Returns an agent as the reader of its own results, by the rules of now. */
export function readerOf(agent: Agent, { policy }: Pick<Offer, 'policy'>): ResultReader {
  return {
    owner: ownerOfResults(agent),
    mayUse({ server, tool }) {
      const decision =
        tool === undefined ? policy.server(agent, server) : policy.tool(agent, server, tool)
      return decision.effect === 'allow'
    },
  }
}
