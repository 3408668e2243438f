import type { Decision, Denial } from '../../gateway/agents/policy.ts'
import type { Config } from '../load.ts'
import { didYouMean } from '../../base/text/nearest.ts'

export interface Question {
  readonly agent: string
  /** Absent if the question is whether the agent may run scripts. */
  readonly server?: string | undefined
  readonly tool?: string | undefined
}

export interface Explanation {
  readonly effect: Decision['effect']
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
  return { effect: 'allow', rule: decision.grant.rule, reason: null, message }
}

function describeAllowed({ agent, server, tool }: Question): string {
  if (server === undefined) return `Agent '${agent}' may run scripts`
  if (tool === undefined) return `Agent '${agent}' can access server '${server}'`
  return `Agent '${agent}' is authorized to call tool '${tool}' on server '${server}'`
}

/** Notes names that are not defined, as most of them are misspelt. */
export function notesOnNames(
  { agent, server }: Question,
  { rules, servers, paths }: Pick<Config, 'rules' | 'servers' | 'paths'>,
): string[] {
  const notes: string[] = []
  const add = (text: string, name: string, known: Iterable<string>) => {
    const hint = didYouMean(name, known)
    notes.push(hint === undefined ? text : `${text}. ${hint}`)
  }
  const agents = rules?.agents
  if (agents && !Object.hasOwn(agents, agent) && Object.keys(rules?.groups ?? {}).length === 0)
    add(`agent "${agent}" is not in ${paths.rules ?? 'the rules'}`, agent, Object.keys(agents))
  if (server !== undefined && !servers.has(server))
    add(`server "${server}" is not in ${paths.mcp ?? 'any .mcp.json'}`, server, servers.keys())
  return notes
}
