import { GatewayError } from '../../gateway/errors.ts'
import { searchAudit } from '../../storage/shared/audit-entries.ts'
import type { Storage } from '../../storage/storage.ts'
import type { AuditRecord, AuditSearch } from '../../telemetry/audit/audit-search.ts'
import { readable } from './unreachable.ts'

/** Searches the audit record of all replicas. */
export function createDatabaseAuditSearch(storage: Storage): AuditSearch {
  return {
    async search({ cursor, limit, text, ...filter }) {
      const before = cursor === undefined ? undefined : fromCursor(cursor)
      const rows = await readable(async () =>
        // One row more than requested shows whether there is another page.
        searchAudit(storage.db, { ...filter, text: toNeedle(text), before, limit: limit + 1 }),
      )
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      return {
        records: shown.map(({ line }): AuditRecord => JSON.parse(line)),
        ...(rows.length > limit && last && { next: `${last.at}.${last.id}` }),
      }
    },
  }
}

/** Escapes the text as in the line, which is JSON. */
function toNeedle(text: string | undefined): string | undefined {
  return text ? JSON.stringify(text).slice(1, -1) : undefined
}

function fromCursor(cursor: string): { at: number; id: string } {
  const [, at, id] = /^(\d+)\.(\w+)$/.exec(cursor) ?? []
  if (at !== undefined && id !== undefined) return { at: Number(at), id }
  throw new GatewayError('INVALID_PARAMS', `"${cursor}" is not a cursor of this search`, {
    hint: 'Pass the `next` of the page before, or leave the cursor out.',
  })
}
