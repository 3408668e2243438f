import type { Problem } from '../../config/problem.ts'
import type { AccessChange } from '../../config/rules/edit-access.ts'
import type { Difference } from '../../telemetry/audit/replay.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Denial } from '../../gateway/agents/decision.ts'
import type { CallStats } from './overview.ts'

export interface Agents {
  /** The path of the rules; null if there are none and everything is allowed. */
  readonly rulesPath: string | null
  readonly servers: readonly string[]
  readonly agents: readonly AgentRow[]
}

export interface AgentRow {
  readonly id: string
  /** `other` is the row for every agent that is not listed; its id is `*`. */
  readonly source: 'rules' | 'settings' | 'keys' | 'users' | 'seen' | 'other'
  readonly surface: 'auto' | 'discover' | 'direct' | 'scripts'
  readonly maxTokens: number | null
  readonly ratePerMinute: number | null
  readonly pins: readonly string[]
  /** One for each of `Agents.servers`, in that order. */
  readonly cells: readonly AgentCell[]
  /** The cost of all definitions it may see, and of those that its surface shows it instead. */
  readonly allTokens: number
  readonly shownTokens: number
  readonly calls: CallStats | null
}

export interface Verdict {
  /** `ask`: allowed, once a person has approved the call. */
  readonly effect: AccessChange['effect']
  /** Whether conditions on the arguments may change it. */
  readonly depends: boolean
  /** The path of the rule that decides, such as `agents.ada.allow.servers[0]`. */
  readonly rule: string
  readonly reason: Denial['reason'] | null
  readonly message: string
}

export interface AgentCell extends Omit<Verdict, 'message'> {
  readonly server: string
  /** Those that need an approval too. */
  readonly toolsAllowed: number
  readonly toolsAsking: number
  /** Those whose arguments decide. */
  readonly toolsDepending: number
  readonly toolsTotal: number
}

export interface AgentTools extends Verdict {
  readonly agent: string
  readonly server: string
  /** `conditions`: of the agent and its groups; `arguments`: the names that the tool's schema has. */
  readonly tools: readonly (ToolVerdict & {
    readonly conditions: readonly RuleCondition[]
    readonly arguments: readonly string[]
  })[]
}

export interface ToolVerdict extends Verdict {
  readonly name: string
  readonly description: string | null
  readonly tokens: number
}

/** An entry of the rules with a condition on the arguments. */
export interface RuleCondition {
  readonly effect: AccessChange['effect']
  /** Such as `agents.ada.deny.tools.git[0]`. */
  readonly rule: string
  /** The server and the pattern of tools that it is about. */
  readonly server: string
  readonly tool: string
  readonly when: JsonObject | null
  /** Arguments that an entry of `ask` leaves out. */
  readonly unless: readonly unknown[]
}

export interface PolicyQuestion {
  readonly agent: string
  readonly server: string
  readonly tool?: string
  /** The content of a rules file, as JSON: validated and evaluated, never applied. */
  readonly rules?: unknown
}

export interface PolicyAnswer {
  /** False if `rules` was given and is invalid: `verdict` is then null and `problems` says why. */
  readonly valid: boolean
  readonly problems: readonly PolicyProblem[]
  readonly warnings: readonly string[]
  readonly verdict: Verdict | null
  /** By the rules in force; only when `rules` was given. */
  readonly current: Verdict | null
  /** Remarks for the reader, such as names that are not defined. */
  readonly notes: readonly string[]
  /** The agent's access to each server. */
  readonly servers: readonly AgentCell[]
  /** The tools of the server in question. */
  readonly tools: readonly ToolVerdict[]
}

/** `path` is such as `agents.ada.allow.servers[0]`. */
export type PolicyProblem = Pick<Problem, 'path' | 'message' | 'hint'>

/** What changes of the rules would do. */
export interface RulesDraft {
  readonly files: readonly {
    readonly path: string
    /** Identifies the content that the changes are based on. */
    readonly digest: string
    readonly diff: readonly string[]
  }[]
  /** Changes that other rules undo, such as those of a group, with the rule that decides. */
  readonly unmet: readonly (AccessChange & { readonly rule: string })[]
  /** The calls of the last days that would have been decided otherwise. */
  readonly replay: {
    readonly calls: number
    /** Whether there are older calls that were not looked at. */
    readonly isCut: boolean
    readonly denied: readonly Difference[]
    readonly allowed: readonly Difference[]
    /** Calls about which a person would have been asked, where nobody is asked now. */
    readonly asked: readonly {
      readonly agent: string
      readonly rule: string
      readonly calls: number
    }[]
    /** Calls with conditions whose arguments are not in the audit. */
    readonly undecided: number
  }
}

export type { AccessChange }
