import { explainAccess } from '../../config/rules/explain-access.ts'
import type { Policy, Principal } from '../../gateway/agents/policy.ts'
import type { Tool, Upstream } from '../../gateway/upstream.ts'
import type { World } from '../../surfaces/world.ts'
import type { AgentCell, ToolVerdict, Verdict } from '../contract/agents.ts'
import type { TokenCosts } from './token-costs.ts'

/** What decisions are explained by; the policy need not be the one in force. */
export interface Explaining {
  readonly policy: Policy
  readonly world: World
  readonly costs: TokenCosts
}

export function explain(policy: Policy, agent: Principal, server: string, tool?: string): Verdict {
  const decision =
    tool === undefined ? policy.server(agent, server) : policy.tool(agent, server, tool)
  return {
    ...explainAccess({ agent: agent.id, server, tool }, decision),
    depends: decision.effect === 'allow' && decision.grant.depends === true,
  }
}

/** What an agent may do on each server, and the tools that it may call. */
export function explainServers(
  { policy, world }: Pick<Explaining, 'policy' | 'world'>,
  agent: Principal,
): { readonly cells: AgentCell[]; readonly permitted: readonly Tool[] } {
  const permitted: Tool[] = []
  const cells = world.catalog.servers.map(({ name: server, listing }): AgentCell => {
    const { message: _, ...verdict } = explain(policy, agent, server)
    const counts = { toolsAllowed: 0, toolsAsking: 0, toolsDepending: 0 }
    for (const tool of verdict.effect === 'deny' ? [] : listing.tools) {
      const decision = policy.tool(agent, server, tool.name)
      if (decision.effect === 'deny') continue
      permitted.push(tool)
      counts.toolsAllowed++
      if (decision.grant.ask) counts.toolsAsking++
      if (decision.grant.depends) counts.toolsDepending++
    }
    return { ...verdict, server, ...counts, toolsTotal: listing.tools.length }
  })
  return { cells, permitted }
}

/** What an agent may do on one server, tool by tool. */
export function explainTools(
  { policy, world, costs }: Explaining,
  agent: Principal,
  { name, listing }: Upstream,
): ToolVerdict[] {
  return listing.tools.map((tool) => {
    const { description } = tool.definition
    return {
      ...explain(policy, agent, name, tool.name),
      name: tool.name,
      description: typeof description === 'string' ? description : null,
      tokens: costs.ofTool(tool, world),
    }
  })
}
