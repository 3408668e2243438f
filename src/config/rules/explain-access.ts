import type { Principal } from '../../gateway/agents/policy.ts'
import type { Decision, Denial } from '../../gateway/agents/decision.ts'
import type { Config } from '../load.ts'
import { didYouMean } from '../../base/text/nearest.ts'

export interface Question {
  readonly agent: string
  /** Absent if the question is whether the agent may run scripts. */
  readonly server?: string | undefined
  readonly tool?: string | undefined
}

export interface Explanation {
  readonly effect: Decision['effect'] | 'ask'
  readonly rule: string
  readonly reason: Denial['reason'] | null
  readonly message: string
}

/** Explains a decision of the rules: who, what and why. */
export function explainAccess({ agent, server, tool }: Question, decision: Decision): Explanation {
  if (decision.effect === 'deny') {
    const { effect, rule, reason, message } = decision
    return { effect, rule, reason, message }
  }
  const message = describeAllowed({ agent, server, tool })
  const { ask } = decision.grant
  if (ask)
    return {
      effect: 'ask',
      rule: ask.rule,
      reason: null,
      message: `${message}, once a person has approved the call`,
    }
  return { effect: 'allow', rule: decision.grant.rule, reason: null, message }
}

function describeAllowed({ agent, server, tool }: Question): string {
  if (server === undefined) return `Agent '${agent}' may run scripts`
  if (tool === undefined) return `Agent '${agent}' can access server '${server}'`
  return `Agent '${agent}' is authorized to call tool '${tool}' on server '${server}'`
}

/** Notes names that are not defined, as most of them are misspelt, and whose rights they have. */
export function notesOnNames(
  { agent, server, who }: Question & { readonly who?: Principal },
  { rules, servers, paths }: Pick<Config, 'rules' | 'servers' | 'paths'>,
): string[] {
  const notes = notesOnWho(agent, who)
  const text = `agent "${agent}" is not in ${paths.rules ?? 'the rules'}`
  const mayBeInGroup = Object.keys(rules?.groups ?? {}).length > 0
  if (rules && notes.length === 0 && !Object.hasOwn(rules.agents, agent) && !mayBeInGroup)
    notes.push(withNearest(text, agent, Object.keys(rules.agents)))
  if (server !== undefined && !servers.has(server)) {
    const missing = `server "${server}" is not in ${paths.mcp ?? 'any .mcp.json'}`
    notes.push(withNearest(missing, server, servers.keys()))
  }
  return notes
}

function notesOnWho(agent: string, { ancestors, person }: Partial<Principal> = {}): string[] {
  const notes: string[] = []
  if (person && person.groups.length > 0)
    notes.push(`"${person.user}" is a person in the groups ${person.groups.join(', ')}`)
  if (ancestors)
    notes.push(
      `the rules do not name "${agent}": a client of that name has the rights of "${ancestors.join(', ')}"`,
    )
  return notes
}

function withNearest(text: string, name: string, known: Iterable<string>): string {
  const hint = didYouMean(name, known)
  return hint === undefined ? text : `${text}. ${hint}`
}
