import { explainAccess } from '../../config/rules/explain-access.ts'
import type { Policy, Principal } from '../../gateway/agents/policy.ts'
import type { Upstream } from '../../gateway/upstream.ts'
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

/** What an agent may do on each server. */
export function explainServers({ policy, world }: Explaining, agent: Principal): AgentCell[] {
  return world.catalog.servers.map(({ name: server, listing }) => {
    const verdict = explain(policy, agent, server)
    const grants = listing.tools.flatMap((tool) => {
      const decision = policy.tool(agent, server, tool.name)
      return decision.effect === 'allow' && verdict.effect !== 'deny' ? [decision.grant] : []
    })
    return {
      ...verdict,
      server,
      toolsAllowed: grants.length,
      toolsAsking: grants.filter(({ ask }) => ask).length,
      toolsDepending: grants.filter(({ depends }) => depends).length,
      toolsTotal: listing.tools.length,
    }
  })
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
