import {
  type DefinitionCosts,
  definitionCosts,
  discoveryTokens,
} from '../../app/health/probe-servers.ts'
import type { Config } from '../../config/load.ts'
import type { Usage } from './usage.ts'

export interface Savings {
  readonly discovery: {
    readonly tokens: number
    readonly lists: number
    /** The tokens that a list took, and would have taken without discovery; averages. */
    readonly tokensPerList: number
    readonly tokensPerDirectList: number
    readonly tokensDescribed: number
    readonly notCounted: readonly string[]
  }
  readonly budgets: { readonly tokens: number; readonly results: number }
  readonly cache: { readonly hits: number; readonly misses: number; readonly savedMs: number }
}

/** Uses the current configuration, as the audit does not record which tools there were. */
export async function savingsOf(usage: Usage, config: Config): Promise<Savings> {
  const isDirect = config.settings.surface === 'direct'
  const costs = usage.lists.size > 0 && !isDirect ? await definitionCosts(config) : NO_COSTS
  const perList = isDirect ? 0 : discoveryTokens()
  let lists = 0
  let direct = 0
  for (const { who, count } of isDirect ? [] : usage.lists.values()) {
    lists += count
    direct += count * costs.of(who)
  }
  return {
    discovery: {
      tokens: Math.max(0, direct - lists * perList - usage.tokensDescribed),
      lists,
      tokensPerList: perList,
      tokensPerDirectList: lists === 0 ? 0 : Math.round(direct / lists),
      tokensDescribed: usage.tokensDescribed,
      notCounted: costs.unknown,
    },
    budgets: { tokens: usage.tokensSaved, results: usage.shortened },
    cache: usage.cache,
  }
}

const NO_COSTS: DefinitionCosts = { of: () => 0, unknown: [] }

export const EXPLANATION = `How the figures are made
  calls       Every line of the audit file in the time asked for. A tool that answered with an
              error counts as an error, as does a call that failed or timed out.
  discovery   Each list of tools that was answered (tools/list) is taken as one conversation. It
              saved the tokens of all definitions that agent may see, less those of the discovery
              tools, less the definitions it asked for with get_server_tools. Definitions are
              counted exactly (cl100k_base), as last heard from each server and with today's rules.
              Answers of find_tools and list_servers are not in the audit, so that they are not
              taken off; a client that lists twice in one conversation counts twice. Definitions
              are sent again with every turn of a conversation; that is not counted.
  budgets     The sum of tokens_saved: a result's tokens before, less those after shortening. What
              was read again with read_result is not taken off.
  cache       A hit saves no tokens, but time: for each tool the mean time of its misses, less the
              time of its hits.
`
