import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import type { AuditQuery, AuditRecord } from '../telemetry/audit/audit-search.ts'
import type { Call } from './contract/calls.ts'
import { HttpError } from '../http/http-error.ts'
import type { Sources } from './sources.ts'
import { toCall } from './views/to-call.ts'

export const exportFormat = z.enum(['jsonl', 'csv'])
type ExportFormat = z.output<typeof exportFormat>

/** Entries that are in memory at once. */
const PAGE = 1_000

const COLUMNS = [
  'at',
  'agent',
  'user',
  'client',
  'folder',
  'operation',
  'server',
  'tool',
  'decision',
  'outcome',
  'durationMs',
  'tokenCount',
  'tokensSaved',
  'rule',
  'reason',
  'error',
  'parent',
  'approval',
  'id',
  'arguments',
] as const satisfies readonly (keyof Call)[]

const TYPES = { jsonl: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' }

/** Streams the entries that match, newest first, a page at a time, as fast as the reader takes them. */
export async function exportAudit(
  { auditSearch, secrets }: Pick<Sources, 'auditSearch' | 'secrets'>,
  query: Omit<AuditQuery, 'limit'>,
  format: ExportFormat,
  response: ServerResponse,
): Promise<void> {
  // Before the head is sent, a failure can still be told as one.
  let page = await auditSearch.search({ ...query, limit: PAGE })
  response.writeHead(200, {
    'content-type': TYPES[format],
    'content-disposition': `attachment; filename="portolan-audit.${format}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  if (format === 'csv') response.write(`${COLUMNS.join(',')}\r\n`)
  try {
    for (;;) {
      const { next, records } = page
      const text = records.map((record) => (format === 'csv' ? toCsv(record) : toJson(record)))
      const clean = (line: string) =>
        format === 'csv' ? secrets.hide(line) : secrets.hideJson(line)
      const isTaken = response.write(text.map(clean).join(''))
      if (!isTaken) await once(response, 'drain', { signal: closing(response) })
      if (next === undefined || response.destroyed) break
      page = await auditSearch.search({ ...query, cursor: next, limit: PAGE })
    }
    response.end()
  } catch {
    // The reader has gone, or must see that the file is not whole.
    response.destroy()
  }
}

function closing(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  else response.once('close', () => gone.abort())
  return gone.signal
}

function toJson(record: AuditRecord): string {
  return `${JSON.stringify(record)}\n`
}

function toCsv(record: AuditRecord): string {
  const call = toCall(record)
  return `${COLUMNS.map((name) => cell(call[name])).join(',')}\r\n`
}

/** A spreadsheet would run text that begins like a formula, and agents choose names. */
function cell(value: string | number | null): string {
  if (value === null) return ''
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function toFormat(value: string | null): ExportFormat {
  const parsed = exportFormat.safeParse(value ?? 'jsonl')
  if (parsed.success) return parsed.data
  throw new HttpError(400, 'INVALID_PARAMS', `format: "${value}" is neither jsonl nor csv`)
}
