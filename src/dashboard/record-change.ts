import type { JsonObject } from '../base/json/json.ts'
import type { HttpFailure } from '../http/http-error.ts'
import type { Ledger } from '../gateway/layers/audit.ts'
import type { SignInAttempt } from '../identity/incoming/sign-in.ts'
import { newEvent } from '../surfaces/inbound.ts'
import { DASHBOARD } from '../telemetry/ledger.ts'
import type { Visitor } from './access/visitor.ts'
import type { Sources } from './sources.ts'

/**
 * Writes the audit line of a change made on the dashboard: by whom, what, and to which object.
 * `details` are written to the line, so they must not contain a secret.
 *
 * @example
 * ```ts
 * recordChange(sources, visitor, 'keys.revoke', { key: id })
 * ```
 */
export function recordChange(
  { ledger }: Pick<Sources, 'ledger'>,
  { actAs: [agent] }: Pick<Visitor, 'actAs'>,
  change: string,
  details: JsonObject,
): void {
  ledger.record({
    ...newEvent(DASHBOARD),
    ...(agent !== undefined && { agent }),
    tool: change,
    decision: 'ALLOW',
    outcome: 'ok',
    durationMs: 0,
    arguments: details,
  })
}

/** A refused request to the dashboard: a wrong key, an insufficient role, or another site. */
export interface Refusal {
  readonly asked: string
  readonly failure: HttpFailure
  /** Undefined if unknown. */
  readonly agent: string | undefined
}

/** Writes the audit line of a refused request; the ledger limits those of unknown callers. */
export function recordRefusal(
  { ledger }: Pick<Sources, 'ledger'>,
  { asked, failure, agent }: Refusal,
): void {
  const { code, message } = failure.body.error
  ledger.record({
    ...newEvent(DASHBOARD),
    ...(agent !== undefined && { agent }),
    tool: asked,
    decision: 'DENY',
    outcome: code,
    durationMs: 0,
    error: message,
  })
}

/** Writes the audit line of a sign-in on the gateway's own pages, successful or refused. */
export function recordSignIn(ledger: Ledger, { to, account, problem }: SignInAttempt): void {
  ledger.record({
    ...newEvent(DASHBOARD),
    ...(account && { agent: account.agent }),
    tool: 'sign-in',
    durationMs: 0,
    arguments: { to, ...(account && { with: account.source }) },
    ...(problem === undefined
      ? { decision: 'ALLOW', outcome: 'ok' }
      : { decision: 'DENY', outcome: 'UNAUTHENTICATED', error: problem }),
  })
}
