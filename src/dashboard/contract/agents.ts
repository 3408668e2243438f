import type { CallStats } from './overview.ts'

export interface Agents {
  /** Where the rules are; null when there are none, and everything is allowed. */
  readonly rulesPath: string | null
  readonly servers: readonly string[]
  readonly agents: readonly AgentRow[]
}

export interface AgentRow {
  readonly id: string
  /** `other` is the row for every agent that nothing names; its id is `*`. */
  readonly source: 'rules' | 'settings' | 'keys' | 'seen' | 'other'
  readonly surface: 'auto' | 'discover' | 'direct' | 'scripts'
  readonly maxTokens: number | null
  readonly ratePerMinute: number | null
  readonly pins: readonly string[]
  /** One for each of `Agents.servers`, in that order. */
  readonly cells: readonly AgentCell[]
  /** What all definitions it may see would cost, and what its surface shows it instead. */
  readonly allTokens: number
  readonly shownTokens: number
  readonly calls: CallStats | null
}

export interface Verdict {
  readonly effect: 'allow' | 'deny'
  /** The path of the rule that decides, such as `agents.ada.allow.servers[0]`. */
  readonly rule: string
  readonly reason:
    | 'unknown_agent'
    | 'server_not_allowed'
    | 'tool_not_allowed'
    | 'scripts_not_allowed'
    | null
  readonly message: string
}

export interface AgentCell extends Verdict {
  readonly server: string
  readonly toolsAllowed: number
  readonly toolsTotal: number
}

export interface AgentTools extends Verdict {
  readonly agent: string
  readonly server: string
  readonly tools: readonly ToolVerdict[]
}

export interface ToolVerdict extends Verdict {
  readonly name: string
  readonly description: string | null
  readonly tokens: number
}

export interface PolicyQuestion {
  readonly agent: string
  readonly server: string
  readonly tool?: string
  /** The content of a rules file, as JSON: validated and asked, never applied. */
  readonly rules?: unknown
}

export interface PolicyAnswer {
  /** False when `rules` was given and is not valid: then `verdict` is null, and `problems` says why. */
  readonly valid: boolean
  readonly problems: readonly PolicyProblem[]
  readonly warnings: readonly string[]
  readonly verdict: Verdict | null
  /** By the rules in force; only when `rules` was given. */
  readonly current: Verdict | null
  /** What the reader should know, such as names that nobody defined. */
  readonly notes: readonly string[]
  /** What else the agent could do. */
  readonly servers: readonly AgentCell[]
  /** The tools of the server that was asked about. */
  readonly tools: readonly ToolVerdict[]
}

export interface PolicyProblem {
  /** Such as `agents.ada.allow.servers[0]`. */
  readonly path: string
  readonly message: string
  readonly hint: string | null
}
