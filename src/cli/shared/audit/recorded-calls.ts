import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Settings } from '../../../config/settings/settings.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import type { AuditSearch } from '../../../telemetry/audit/audit-search.ts'
import { withDatabase } from '../with-database.ts'
import { type AuditLine, toAuditLine } from '../../../telemetry/audit/audit-line.ts'

export interface Range {
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly to: number
}

export interface Recorded {
  /** The file, or `the database`. */
  readonly source: string
  /** How many entries could not be read: cut by a crash, or written by another program. */
  readonly unreadable: number
}

const PAGE = 1_000

/** Passes every entry of a time range to `show`: from the shared database, or from local files. */
export async function recordedCalls(
  settings: Settings,
  range: Range,
  show: (line: AuditLine) => void,
): Promise<Recorded> {
  let unreadable = 0
  const take = (entry: unknown) => {
    const line = toAuditLine(entry)
    if (!line) unreadable++
    else if (isWithin(line, range)) show(line)
  }
  const env = settings.database.auditIndex ? process.env : {}
  const source = await withDatabase(env, async (database) => {
    const path = settings.audit.path ?? join(settings.home, 'audit.jsonl')
    const entries = database ? pagesOf(database.auditSearch, range) : filesAt(path)
    for await (const entry of entries) take(entry)
    return database ? 'the database' : path
  })
  return { source, unreadable }
}

function isWithin({ timestamp }: AuditLine, { from, to }: Range): boolean {
  const at = Date.parse(timestamp)
  return at >= from && at <= to
}

async function* pagesOf(audit: AuditSearch, { from, to }: Range): AsyncGenerator {
  const until = Number.isFinite(to) ? to + 1 : undefined
  let cursor: string | undefined
  do {
    const page = await audit.search({ since: from, until, limit: PAGE, cursor })
    yield* page.records
    cursor = page.next
  } while (cursor !== undefined)
}

function filesAt(path: string): AsyncGenerator {
  if (auditFiles(path).length > 0) return readAudit(path)
  throw new GatewayError('INVALID_PARAMS', `There is no audit file ${path} yet`, {
    hint: 'It is written with the first call: portolan connect <client>.',
  })
}

/** Yields the entries of an audit file and its rotated files, oldest first; undefined if broken. */
async function* readAudit(path: string): AsyncGenerator {
  for (const file of auditFiles(path)) {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
    for await (const text of lines) if (text !== '') yield parse(text)
  }
}

/** Returns the files, oldest first: `audit.jsonl.5` is older than `audit.jsonl.1`. */
function auditFiles(path: string): string[] {
  const rotated: string[] = []
  for (let n = 1; existsSync(`${path}.${n}`); n++) rotated.unshift(`${path}.${n}`)
  return existsSync(path) ? [...rotated, path] : rotated
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // A line cut by a crash, or written by another program.
  }
}
