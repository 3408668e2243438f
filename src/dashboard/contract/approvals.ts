import type { RuleChange } from '../../gateway/approvals/approval.ts'

/** A call that needs the approval of a person, or what became of it. */
export interface ApprovalView {
  readonly id: string
  readonly state: 'pending' | 'approved' | 'denied' | 'used' | 'expired'
  readonly agent: string
  readonly person: string
  readonly client: string | null
  readonly folder: string | null
  readonly server: string
  readonly tool: string
  /** JSON, without secrets; null if the visitor may not read it. */
  readonly arguments: string | null
  /** The changed lines, where the tool is an edit. */
  readonly diff: readonly string[]
  readonly rule: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly answeredBy: string | null
  readonly reason: string | null
  /** Whether the visitor may answer it. */
  readonly mayAnswer: boolean
  /** Whether the answer may be for always, which changes the rules. */
  readonly mayBeAlways: boolean
}

export interface ApprovalAnswer {
  readonly approve: boolean
  /** These exact arguments for so long; one call when absent. */
  readonly minutes?: number | undefined
  /** These exact arguments for ever: adds them to the rule. */
  readonly always?: boolean | undefined
  /** What the agent is told, if it is denied. */
  readonly reason?: string | undefined
}

export type { RuleChange }
