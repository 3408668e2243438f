import { groupBy } from '../../../../base/maps.ts'
import { factsOf } from '../search/chunk-facts.ts'
import type { FileRecord } from '../index/file-record.ts'

type Files = ReadonlyMap<string, FileRecord>

/** Counts parse results by language; skipped and pending files do not count in the totals. */
export function parseStats(files: Files): Record<string, unknown> {
  const byLanguage: Record<string, Record<string, number>> = {}
  let [total, ok] = [0, 0]
  for (const { languageId, parse } of files.values()) {
    const counts = (byLanguage[languageId] ??= {
      files: 0,
      ok: 0,
      partial: 0,
      error: 0,
      no_grammar: 0,
    })
    counts['files'] = (counts['files'] ?? 0) + 1
    counts[parse.status] = (counts[parse.status] ?? 0) + 1
    if (parse.status === 'skipped' || parse.status === 'pending') continue
    total++
    if (parse.status === 'ok') ok++
  }
  return {
    by_language: byLanguage,
    parse_health_pct: percent(ok, total),
    total_files: total,
    total_ok: ok,
  }
}

/** Returns the files that were not parsed well, each with the reason. */
export function parseFailures(files: Files): Record<string, unknown>[] {
  return [...files]
    .filter(([, { parse }]) => /^(?:partial|error|no_grammar)$/.test(parse.status))
    .map(([path, { languageId, parse }]) => ({
      file_path: path,
      language: languageId,
      parse_status: parse.status,
      error_message:
        parse.message ??
        (parse.status === 'no_grammar'
          ? `No grammar for ${languageId}: its symbols are found line by line`
          : null),
    }))
}

/** Counts the recognised chunks of each configuration grammar. */
export function grammarStats(files: Files): Record<string, unknown>[] {
  return [...groupBy(dialectsOf(files), ([, { languageId }]) => languageId)].map(
    ([grammar, members]) => {
      const chunks = sum(members, ([, { ranges }]) => ranges.length / 2)
      const recognised = chunks - sum(members, ([, record]) => unrecognised(record))
      return {
        grammar_name: grammar,
        base_language: members[0]?.[1].language ?? null,
        file_count: members.length,
        chunk_count: chunks,
        recognized_chunks: recognised,
        unrecognized_chunks: chunks - recognised,
        recognition_pct: percent(recognised, chunks),
      }
    },
  )
}

/** Returns the configuration files that have unrecognised chunks. */
export function grammarFailures(files: Files): Record<string, unknown>[] {
  return dialectsOf(files)
    .filter(([, record]) => unrecognised(record) > 0)
    .map(([path, record]) => ({
      file_path: path,
      grammar_name: record.languageId,
      chunk_count: record.ranges.length / 2,
      unrecognized_chunks: unrecognised(record),
    }))
}

function dialectsOf(files: Files): [path: string, record: FileRecord][] {
  return [...files].filter(([, { language, languageId }]) => language !== languageId)
}

function unrecognised(record: FileRecord): number {
  let count = 0
  for (let at = 0; at < record.ranges.length; at += 2)
    if (factsOf(record, rangeAt(record, at)).blockType === '') count++
  return count
}

const percent = (part: number, whole: number): number =>
  whole === 0 ? 100 : Math.round((1_000 * part) / whole) / 10

export function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

function rangeAt({ ranges }: FileRecord, at: number) {
  const [startLine = 1, endLine = 1] = ranges.slice(at, at + 2)
  return { startLine, endLine }
}
