import type { AgentRules } from '../../gateway/agents/policy.ts'
import { getOrMake } from '../../base/maps.ts'
import type { AuditLine } from '../shared/audit/audit-line.ts'

/** Rules that allow what was used, and nothing else; the keys are those of the file. */
export interface SuggestedRules {
  readonly agents: Readonly<Record<string, AgentRules>>
  readonly defaults: { readonly deny_on_missing_agent: true }
}

/** Gathers what each agent used. What a sub-agent used, those whose rights it lives on must have too. */
export class Suggestion {
  readonly #used = new Map<string, Map<string, Set<string>>>()

  add({ agent_id: agent, decision, metadata }: AuditLine): void {
    const { server, tool, rule, on_behalf_of: ancestors } = metadata
    if (agent === null || server === undefined || rule === undefined || decision === 'DENY') return
    for (const id of ancestors ?? [agent]) {
      const servers = getOrMake(this.#used, id, () => new Map<string, Set<string>>())
      const tools = getOrMake(servers, server, () => new Set<string>())
      if (tool !== undefined) tools.add(tool)
    }
  }

  rules(): SuggestedRules {
    const agents = [...this.#used].toSorted(byName).map(([id, used]) => [id, rulesFor(used)])
    return { agents: Object.fromEntries(agents), defaults: { deny_on_missing_agent: true } }
  }
}

function rulesFor(used: ReadonlyMap<string, ReadonlySet<string>>): AgentRules {
  const servers = [...used].toSorted(byName)
  const called = servers.filter(([, tools]) => tools.size > 0)
  // A server without a list of tools is allowed with all of them: where none was called, none may be.
  const untouched = servers.filter(([, tools]) => tools.size === 0)
  return {
    allow: {
      servers: servers.map(([server]) => server),
      tools: Object.fromEntries(called.map(([server, tools]) => [server, [...tools].toSorted()])),
    },
    ...(untouched.length > 0 && {
      deny: { tools: Object.fromEntries(untouched.map(([server]) => [server, ['*']])) },
    }),
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a.localeCompare(b)
}
