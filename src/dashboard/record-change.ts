import type { JsonObject } from '../base/json/json.ts'
import type { HttpFailure } from '../http/http-error.ts'
import type { Ledger } from '../gateway/layers/audit.ts'
import type { SignInAttempt } from '../identity/incoming/sign-in.ts'
import { newEvent } from '../surfaces/inbound.ts'
import { DASHBOARD } from '../telemetry/ledger.ts'
import type { Visitor } from './access/visitor.ts'
import type { Sources } from './sources.ts'

/**
 * The audit line of a change that somebody made on the dashboard: who, what, and to which thing.
 * `details` go into the line, so they hold no secret.
 *
 * @example
 * ```ts
 * recordChange(sources, visitor, 'keys.revoke', { key: id })
 * ```
 */
export function recordChange(
  { ledger }: Pick<Sources, 'ledger'>,
  { actAs: [agent] }: Visitor,
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

/** What somebody asked for on the dashboard who may not: a wrong key, too low a role, another site. */
export interface Refusal {
  readonly asked: string
  readonly failure: HttpFailure
  /** Who it was, where that is known. */
  readonly agent: string | undefined
}

/** The audit line of a request that was refused; the ledger bounds those of unknown callers. */
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

/** The audit line of somebody who signs in on our pages, or is refused there. */
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
