import type { JsonObject } from '../base/json/json.ts'
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
