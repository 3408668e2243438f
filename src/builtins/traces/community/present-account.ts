import type { Account } from '../../../storage/tables/trace-tables.ts'
import { toIso } from '../service/present-trace.ts'

/** Returns an account as its owner may see it, without hashes and with timestamps as ISO text. */
export function presentAccount(account: Account): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(account)
      .filter(([column]) => !column.endsWith('_hash'))
      .map(([column, value]) => [
        column,
        column.endsWith('_at') && typeof value === 'number' ? toIso(value) : value,
      ]),
  )
}
