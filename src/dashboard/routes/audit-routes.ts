import { z } from 'zod'
import { choice, limit, maybe } from '../inputs.ts'
import { HttpError } from '../../http/http-error.ts'
import type { AuditQuery } from '../../telemetry/audit/audit-search.ts'
import type { Visitor } from '../access/visitor.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import { toCall } from '../views/to-call.ts'

export const auditFilters = z.object({
  agent: maybe,
  folder: maybe,
  server: maybe,
  tool: maybe,
  decision: choice(['ALLOW', 'DENY', 'ERROR', 'TIMEOUT']),
  operation: maybe,
  text: maybe,
  since: maybe,
  until: maybe,
})
const query = auditFilters.extend({ cursor: maybe, limit: limit(500, 100) })

type AuditSources = Pick<Sources, 'auditSearch' | 'capture' | 'secrets'>

export function auditRoutes(sources: AuditSources): Route[] {
  return [
    defineRoute('GET /audit', {
      role: 'viewer',
      query,
      async answer({ query: { cursor, limit: most = 100, ...filters }, visitor }) {
        const begun = performance.now()
        const asked = { ...toAuditQuery(filters, visitor, sources), cursor, limit: most }
        const { records, next, scanned } = await sources.auditSearch.search(asked)
        return {
          calls: records.map(toCall),
          next: next ?? null,
          scanned: scanned ?? records.length,
          tookMs: Math.round(performance.now() - begun),
        }
      },
    }),
  ]
}

/** What the filters of the page ask of the record, and what this visitor may search besides. */
export function toAuditQuery(
  { since, until, ...filters }: Partial<z.output<typeof auditFilters>>,
  visitor: Pick<Visitor, 'role' | 'mayChange'>,
  { capture, secrets }: Pick<Sources, 'capture' | 'secrets'>,
): Omit<AuditQuery, 'limit'> {
  const { text } = filters
  const seesKept = visitor.role === 'admin' && visitor.mayChange
  return {
    ...filters,
    since: toMs('since', since),
    until: toMs('until', until),
    ids: text !== undefined && seesKept ? capture.search(text, (kept) => secrets.hide(kept)) : [],
  }
}

function toMs(name: string, moment: string | undefined): number | undefined {
  if (moment === undefined) return undefined
  const ms = Date.parse(moment)
  if (!Number.isNaN(ms)) return ms
  const message = `${name}: "${moment}" is not a date and time`
  throw new HttpError(400, 'INVALID_PARAMS', message, 'Write it as in 2026-01-31T12:00:00Z.')
}
