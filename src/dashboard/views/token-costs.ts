import { setImmediate } from 'node:timers/promises'
import type { Principal } from '../../gateway/agents/policy.ts'
import type { Tool, Upstream } from '../../gateway/upstream.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { SurfaceName } from '../../gateway/request.ts'
import { type Pinning, SCRIPT_DEFINITIONS, discoverTools } from '../../surfaces/discover.ts'
import { autoSurface } from '../../surfaces/direct.ts'
import type { World } from '../../surfaces/world.ts'
import { getOrMake } from '../../base/maps.ts'

export interface AgentCost {
  /** Every definition the agent may see. */
  readonly allTokens: number
  /** What its surface shows it instead. */
  readonly shownTokens: number
}

/** The part of a world that is needed for counting. */
export type Priced = Pinning & Pick<World, 'surfaceOf' | 'countTokens'>

/** Counting blocks the event loop, so it yields after this time. */
const SLICE_MS = 8

/** The tokens that definitions take. Each is counted once for the lifetime of its listing. */
export class TokenCosts {
  readonly #ofTool = new WeakMap<Tool, { readonly name: string; readonly tokens: number }>()
  readonly #ofDefinition = new WeakMap<JsonObject, number>()

  /** Counts new definitions in slices; the methods below then return cached counts. */
  async prepare(world: Priced): Promise<void> {
    let begun = performance.now()
    for (const { listing } of world.catalog.servers)
      for (const tool of listing.tools) {
        this.#count(tool, world)
        if (performance.now() - begun < SLICE_MS) continue
        await setImmediate()
        begun = performance.now()
      }
  }

  /** Returns what `prepare` has counted: looking up the name for each agent would cost the most. */
  ofTool(tool: Tool, world: Priced): number {
    return this.#ofTool.get(tool)?.tokens ?? this.#count(tool, world)
  }

  /** Counts a tool under its exposed name, which may change with the other servers. */
  #count(tool: Tool, { catalog, countTokens }: Priced): number {
    const name = catalog.tools.nameOf(tool)
    const known = this.#ofTool.get(tool)
    if (known?.name === name) return known.tokens
    const tokens = countTokens(JSON.stringify({ ...tool.definition, name }))
    this.#ofTool.set(tool, { name, tokens })
    return tokens
  }

  ofServer({ listing }: Upstream, world: Priced): number {
    return sum(listing.tools.map((tool) => this.ofTool(tool, world)))
  }

  ofAgent(agent: Principal, world: Priced): AgentCost {
    const { catalog, policy } = world
    const permitted = catalog.servers.flatMap(({ name, listing }) =>
      policy.server(agent, name).effect === 'deny'
        ? []
        : listing.tools.filter((tool) => policy.tool(agent, name, tool.name).effect === 'allow'),
    )
    return this.ofPermitted(agent, permitted, world)
  }

  /** Counts for an agent whose tools are known. */
  ofPermitted(agent: Principal, permitted: readonly Tool[], world: Priced): AgentCost {
    const allTokens = sum(permitted.map((tool) => this.ofTool(tool, world)))
    const surface = world.surfaceOf(agent)
    const shown =
      surface === 'auto' ? autoSurface(permitted.map(({ definition }) => definition)) : surface
    return { allTokens, shownTokens: this.#shown(shown, allTokens, agent, world) }
  }

  #shown(surface: SurfaceName, allTokens: number, agent: Principal, world: Priced): number {
    if (surface === 'direct') return allTokens
    if (surface === 'scripts' && world.policy.scripts(agent).effect === 'allow')
      return sum(SCRIPT_DEFINITIONS.map((definition) => this.#definition(definition, world)))
    return this.ofDiscovery(agent, world)
  }

  /** The discovery tools, and those that are pinned for the agent. */
  ofDiscovery(agent: Principal, world: Priced): number {
    const shown = discoverTools({ ...agent, proof: 'claim' }, world)
    return sum(shown.map((definition) => this.#definition(definition, world)))
  }

  #definition(definition: JsonObject, { countTokens }: Priced): number {
    return getOrMake(this.#ofDefinition, definition, () => countTokens(JSON.stringify(definition)))
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
