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
  readonly rule: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly answeredBy: string | null
  readonly reason: string | null
  /** Whether the visitor may answer it. */
  readonly mayAnswer: boolean
}

export interface ApprovalAnswer {
  readonly approve: boolean
  /** These exact arguments for so long; one call when absent. */
  readonly minutes?: number | undefined
  /** What the agent is told, if it is denied. */
  readonly reason?: string | undefined
}
