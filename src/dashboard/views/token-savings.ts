import type { Principal } from '../../gateway/agents/policy.ts'
import type { Usage } from '../../telemetry/history/usage.ts'
import type { TokenSavings } from '../contract/overview.ts'
import type { Sources } from '../sources.ts'
import type { Priced, TokenCosts } from './token-costs.ts'

/** Signatures and JSON schemas have 4.3 characters a token: 4 overstates the cost of discovery. */
const CHARS_PER_TOKEN = 4
/** The agents whose definitions are counted; the others list as much as these, on average. */
const MAX_AGENTS = 50

/**
 * The tokens that agents did not have to read. A listing that showed the discovery tools saved the
 * definitions of every tool the agent may use, less those shown and later discovery results, with
 * the definitions and the rules as they are now.
 */
export function tokenSavings(
  { config, world }: Pick<Sources, 'config' | 'world'>,
  costs: TokenCosts,
  { all, lists, points }: Usage,
): TokenSavings {
  const perList = averagePerList(lists, world, costs)
  const saved = (count: number, chars: number) =>
    Math.round(count * perList) - Math.ceil(chars / CHARS_PER_TOKEN)
  const discovery = saved(all.lists, all.list_chars)
  const agents = Object.keys(config.rules?.agents ?? { '*': {} }).slice(0, MAX_AGENTS)
  const each = agents.map((id) => costs.ofAgent({ id }, world))
  const average = (of: 'allTokens' | 'shownTokens') =>
    Math.round(sum(each.map((cost) => cost[of])) / Math.max(1, each.length))
  return {
    total: discovery + all.saved_tokens,
    discovery,
    discoveryPoints: points.map((point) => saved(point.lists, point.list_chars)),
    budgets: all.saved_tokens,
    cache: all.cached_tokens,
    listings: all.lists,
    definitions: { allTokens: average('allTokens'), shownTokens: average('shownTokens') },
  }
}

function averagePerList(lists: Usage['lists'], world: Priced, costs: TokenCosts): number {
  const most = Object.entries(lists)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MAX_AGENTS)
  const saved = most.map(([json, count]) => count * perListing(JSON.parse(json), world, costs))
  return sum(saved) / Math.max(1, sum(most.map(([, count]) => count)))
}

/** The rules do not name the holder of a handle, so what it may see is not known here. */
function perListing(agent: Principal, world: Priced, costs: TokenCosts): number {
  if (!world.policy.knows(agent.id) && agent.ancestors === undefined) return 0
  return costs.ofAgent(agent, world).allTokens - costs.ofDiscovery(agent, world)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
