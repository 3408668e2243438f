/** A rule that asks a person before a call. */
export interface Asking {
  readonly rule: string
  /** The text of the rule: an approval is for the rule as it was. */
  readonly source: string
  /** Whether it asks whatever the arguments are. */
  readonly always: boolean
}

/** What a rule allows; the layers inside `authorize` cannot run without one. */
export interface Grant {
  /** The path of the rule that allowed the call. */
  readonly rule: string
  /** The most tokens a result may take; unlimited when absent. */
  readonly maxTokens?: number | undefined
  /** Whether rules have conditions on the arguments, which `grant` was decided without. */
  readonly depends?: true | undefined
  /** The rule that asks a person first; if the grant depends on the arguments, the one that may. */
  readonly ask?: Asking | undefined
}

export interface Denial {
  readonly effect: 'deny'
  readonly rule: string
  readonly reason:
    | 'unknown_agent'
    | 'server_not_allowed'
    | 'tool_not_allowed'
    | 'arguments_not_allowed'
    | 'scripts_not_allowed'
  readonly message: string
  /** Why a condition on the arguments could not be decided. */
  readonly unsure?: string | undefined
}

interface Permission {
  readonly effect: 'allow'
  readonly grant: Grant
}

export type Decision = Permission | Denial

/**
 * Returns a decision with its terms: what asks a person first, or is a denial because that cannot be
 * decided, and whether arguments that are not known yet may change it.
 */
export function withTerms(
  decision: Decision,
  asking: Asking | Denial | undefined,
  isOpen: boolean,
): Decision {
  if (decision.effect === 'deny' || (!asking && !isOpen)) return decision
  if (asking && 'effect' in asking) return asking
  const terms = { ...(isOpen && { depends: true as const }), ...(asking && { ask: asking }) }
  return { effect: 'allow', grant: { ...decision.grant, ...terms } }
}

interface AccessQuestion {
  readonly agent: string
  readonly server?: string | undefined
  readonly tool?: string | undefined
}

export function denial(
  reason: Denial['reason'],
  rule: string,
  { unsure, ...asked }: AccessQuestion & Pick<Denial, 'unsure'>,
): Denial {
  const message = describe(reason, asked)
  if (unsure === undefined) return { effect: 'deny', rule, reason, message }
  return { effect: 'deny', rule, reason, message: `${message}: ${unsure}`, unsure }
}

function describe(reason: Denial['reason'], { agent, server, tool }: AccessQuestion): string {
  if (reason === 'tool_not_allowed')
    return `Agent '${agent}' not authorized to call tool '${tool}' on server '${server}'`
  if (reason === 'arguments_not_allowed')
    return `Agent '${agent}' may not call tool '${tool}' on server '${server}' with these arguments`
  if (server === undefined) return `Agent '${agent}' may not run scripts`
  return `Agent '${agent}' cannot access server '${server}'`
}
