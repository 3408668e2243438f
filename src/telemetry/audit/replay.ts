import { parseObject } from '../../base/json/json.ts'
import {
  type Policy,
  type Principal,
  createPolicy,
  isHandleRule,
} from '../../gateway/agents/policy.ts'
import type { Rules } from '../../gateway/agents/rules.ts'
import type { Decision, Grant } from '../../gateway/agents/decision.ts'
import { whoCalled } from '../../identity/who-is.ts'
import { type AuditLine, callerOf } from './audit-line.ts'
import { Questions } from './questions.ts'

/** Calls of one agent to one tool that other rules would judge differently. */
export interface Difference {
  readonly agent: string
  readonly server: string
  /** Absent for resources, prompts and lists, which belong to a server as a whole. */
  readonly tool?: string | undefined
  calls: number
  readonly now: 'allow' | 'deny'
  /** The rule that would decide. */
  readonly rule: string
}

/** Judges recorded calls by rules that were not in force then. */
export class Replay {
  readonly agents = new Set<string>()
  calls = 0
  /** Calls of tools with conditions whose arguments are not in the audit. */
  undecided = 0
  /** What these rules would have asked about. */
  readonly questions = new Questions()
  readonly #policy: Policy
  readonly #differences = new Map<string, Difference>()

  constructor(rules: Rules) {
    this.#policy = createPolicy(rules)
  }

  add(line: AuditLine): void {
    const { agent_id: agent, metadata } = line
    const { server, tool } = metadata
    const before = judged(line)
    if (agent === null || server === undefined || before === undefined) return
    this.agents.add(agent)
    this.calls++
    const decision = this.#decide(whoCalled(callerOf(agent, line)), metadata)
    if (decision.effect === 'allow') this.#ask(agent, line, decision.grant)
    if (decision.effect === before) return
    const rule = decision.effect === 'allow' ? decision.grant.rule : decision.rule
    const key = JSON.stringify([agent, server, tool, decision.effect])
    const known = this.#differences.get(key)
    if (known) known.calls++
    else this.#differences.set(key, { agent, server, tool, calls: 1, now: decision.effect, rule })
  }

  #decide(who: Principal, { server = '', tool, arguments: json }: AuditLine['metadata']): Decision {
    if (tool === undefined) return this.#policy.server(who, server)
    const decision = this.#policy.tool(who, server, tool)
    if (decision.effect === 'deny' || !decision.grant.depends) return decision
    const args = json === undefined ? undefined : parseObject(json)
    if (args) return this.#policy.tool(who, server, tool, args)
    this.undecided++
    return decision
  }

  #ask(agent: string, line: AuditLine, { ask, depends }: Grant): void {
    const { operation, timestamp, metadata } = line
    const { tool = '', outcome, arguments: json } = metadata
    // The same call came again once it was answered, and is counted then.
    if (!ask || outcome === 'APPROVAL_PENDING' || !isCall(line)) return
    const args = json === undefined ? undefined : parseObject(json)
    this.questions.add({
      agent,
      rule: ask.rule,
      tool: tool === '' ? operation : tool,
      timestamp,
      args,
      isDecided: depends !== true,
      wasRefused: line.decision === 'DENY',
    })
  }

  /** Sorted by the number of calls, highest first. */
  differences(now: Difference['now']): Difference[] {
    const found = [...this.#differences.values()].filter((each) => each.now === now)
    return found.toSorted((a, b) => b.calls - a.calls || a.agent.localeCompare(b.agent))
  }
}

/** Returns what the rules decided; undefined for a call that something else decided. */
function judged({ decision, metadata }: AuditLine): Difference['now'] | undefined {
  const { rule, outcome, reason } = metadata
  if (rule === undefined || isHandleRule(rule) || outcome === 'INSUFFICIENT_SCOPE') return undefined
  // A person has refused it, or has not answered yet; the rules allowed it.
  if (reason?.startsWith('approval_') === true) return 'allow'
  return decision === 'DENY' ? 'deny' : 'allow'
}

/** Whether people are asked about an operation: a call of a tool, a resource or a prompt. */
function isCall({ operation, metadata: { tool } }: AuditLine): boolean {
  if (operation === 'resources/read' || operation === 'prompts/get') return true
  return tool !== undefined && !/^(tasks|completion|resources|prompts)\//.test(operation)
}
