import { compilePattern } from '../../base/text/glob.ts'
import { compileMatch } from '../../gateway/agents/groups.ts'
import type { Principal } from '../../gateway/agents/policy.ts'
import type { AgentRules, AskEntry, Rules, ToolEntry } from '../../gateway/agents/rules.ts'
import type { RuleCondition } from '../contract/agents.ts'

/** Returns the conditions that the rules of an agent and of its groups have on a tool. */
export function conditionsOn(
  who: Principal,
  target: { readonly server: string; readonly tool: string },
  rules: Pick<Rules, 'agents' | 'groups'> | undefined,
): RuleCondition[] {
  const { agents = {}, groups = {} } = rules ?? {}
  const own = [who.id, ...(who.ancestors ?? [])].map((id) => [`agents.${id}`, agents[id]] as const)
  const shared = Object.entries(groups)
    .filter(([, { match }]) => compileMatch(match)(who))
    .map(([name, group]) => [`groups.${name}`, group] as const)
  return [...own, ...shared].flatMap(([path, subject]) =>
    subject === undefined ? [] : conditionsIn(subject, path, target),
  )
}

function conditionsIn(
  subject: AgentRules,
  path: string,
  { server, tool }: { readonly server: string; readonly tool: string },
): RuleCondition[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((effect) =>
    [server, '*'].flatMap((key) => {
      const entries: readonly (ToolEntry | AskEntry)[] = subject[effect]?.tools?.[key] ?? []
      return entries.flatMap((entry, at): RuleCondition[] => {
        if (typeof entry === 'string' || !compilePattern(entry.tool)(tool)) return []
        const { when = null } = entry
        const unless = 'unless' in entry ? (entry.unless ?? []) : []
        if (when === null && unless.length === 0) return []
        const rule = `${path}.${effect}.tools.${key}[${at}]`
        return [{ effect, rule, server: key, tool: entry.tool, when, unless }]
      })
    }),
  )
}
