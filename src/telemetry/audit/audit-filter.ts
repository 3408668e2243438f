import { isObject, parseObject } from '../../base/json/json.ts'
import { escapeRegExp } from '../../base/text/escape-regexp.ts'
import type { AuditQuery, AuditRecord } from './audit-search.ts'

export interface AuditFilter {
  /** Returns the record of a line if it matches the query. */
  match(line: string): AuditRecord | undefined
  /** Whether this line, and so every line before it, is too old. */
  isBefore(line: string): boolean
}

/** Several processes write the file, so a line may be out of order by this much. */
const DISORDER_MS = 60_000
const BEGINNING = '{"timestamp":"'

/** Rejects most lines by their text alone; only the rest are parsed and their fields compared. */
export function createAuditFilter(query: AuditQuery): AuditFilter {
  const { agent, folder, server, tool, decision, operation, since, until } = query
  const needles = [
    ...(agent === undefined ? [] : [`"agent_id":${JSON.stringify(agent)}`]),
    ...(folder === undefined ? [] : [`"folder":${JSON.stringify(folder)}`]),
    ...(server === undefined ? [] : [`"server":${JSON.stringify(server)}`]),
    ...(tool === undefined ? [] : [`"tool":${JSON.stringify(tool)}`]),
    ...(operation === undefined ? [] : [`"operation":${JSON.stringify(operation)}`]),
    ...(decision === undefined ? [] : [`"decision":${JSON.stringify(decision)}`]),
  ]
  const text = query.text ? toPattern(JSON.stringify(query.text).slice(1, -1)) : undefined
  const ids = new Set(query.ids)
  const hasText = (line: string) =>
    text === undefined || text.test(line) || (ids.size > 0 && ids.has(callIdOf(line)))
  const from = toIso(since)
  const to = toIso(until)
  const oldest = toIso(since === undefined ? undefined : since - DISORDER_MS)

  function hasFields(record: AuditRecord): boolean {
    const metadata = isObject(record['metadata']) ? record['metadata'] : {}
    return (
      isIt(record['agent_id'], agent) &&
      isIt(record['decision'], decision) &&
      isIt(record['operation'], operation) &&
      isIt(metadata['folder'], folder) &&
      isIt(metadata['server'], server) &&
      isIt(metadata['tool'], tool)
    )
  }

  return {
    match(line) {
      if (!hasText(line)) return undefined
      if (!needles.every((needle) => line.includes(needle))) return undefined
      const at = timestampOf(line)
      if (at === undefined) return undefined
      if (from !== undefined && at < from) return undefined
      if (to !== undefined && at >= to) return undefined
      // A full disk can cut a line short; such a line does not parse.
      const record = parseObject(line)
      return record && hasFields(record) ? record : undefined
    },
    isBefore(line) {
      if (oldest === undefined) return false
      const at = timestampOf(line)
      return at !== undefined && at < oldest
    },
  }
}

function isIt(value: unknown, wanted: string | undefined): boolean {
  return wanted === undefined || value === wanted
}

/** Returns the ISO timestamp of a line; timestamps of one format sort as text. */
function timestampOf(line: string): string | undefined {
  if (!line.startsWith(BEGINNING)) return undefined
  return line.slice(BEGINNING.length, line.indexOf('"', BEGINNING.length))
}

function callIdOf(line: string): string {
  return /"metadata":\{"call_id":"([^"]*)"/.exec(line)?.[1] ?? ''
}

/** Matches in any letter case; lowercasing every line would cost more than all the rest. */
function toPattern(text: string): RegExp {
  return new RegExp(escapeRegExp(text), 'i')
}

function toIso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}
