import { z } from 'zod'
import { choice, limit, maybe } from '../inputs.ts'
import { HttpError } from '../../http/http-error.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import { toCall } from '../views/to-call.ts'

const query = z.object({
  agent: maybe,
  folder: maybe,
  server: maybe,
  tool: maybe,
  decision: choice(['ALLOW', 'DENY', 'ERROR', 'TIMEOUT']),
  text: maybe,
  since: maybe,
  until: maybe,
  cursor: maybe,
  limit: limit(500, 100),
})

export function auditRoutes({ auditSearch }: Pick<Sources, 'auditSearch'>): Route[] {
  return [
    defineRoute('GET /audit', {
      role: 'viewer',
      query,
      async answer({ query: asked }) {
        const begun = performance.now()
        const { since, until, limit: most = 100 } = asked
        const { records, next, scanned } = await auditSearch.search({
          ...asked,
          since: toMs('since', since),
          until: toMs('until', until),
          limit: most,
        })
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

function toMs(name: string, moment: string | undefined): number | undefined {
  if (moment === undefined) return undefined
  const ms = Date.parse(moment)
  if (!Number.isNaN(ms)) return ms
  const message = `${name}: "${moment}" is not a date and time`
  throw new HttpError(400, 'INVALID_PARAMS', message, 'Write it as in 2026-01-31T12:00:00Z.')
}
