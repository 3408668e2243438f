import type { DefinitionChange } from '../../gateway/upstream.ts'
import { reviewCommand } from '../../gateway/names/held-tool.ts'
import type { Ledger } from '../../gateway/layers/audit.ts'
import { newEvent } from '../../surfaces/inbound.ts'
import { DRIFT } from '../../telemetry/ledger.ts'
import type { Log } from '../../telemetry/log.ts'

const MAX_LOGGED = 20

/** Writes changes of a server's definitions to the log and to the audit, once each. */
export function reportDrift(
  { log, ledger }: { readonly log: Log; readonly ledger: Ledger },
  server: string,
  changes: readonly DefinitionChange[],
): void {
  for (const { kind, name, class: change, reasons, held } of changes.slice(0, MAX_LOGGED)) {
    const what = `[${server}] ${kind} ${JSON.stringify(name)}: ${change} change`
    const details = { reasons: reasons.join('; ') }
    if (held) log.warn(`${what} is held; see: ${reviewCommand(server)}`, details)
    else log.info(`${what} applies`, details)
  }
  for (const { kind, name, class: change, reasons, held } of changes)
    ledger.record({
      ...newEvent(DRIFT),
      server,
      tool: `${kind} ${name}`.trim(),
      decision: held ? 'DENY' : 'ALLOW',
      outcome: held ? 'held' : 'ok',
      durationMs: 0,
      arguments: { class: change, reasons },
    })
}
