import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TimeLimitError, runWithin } from '../../../../base/flow/run-within.ts'
import { decodeBytes, isUtf16 } from '../../../../base/text/decode-bytes.ts'
import type { CodeHit } from '../../../../search/code/code-file.ts'
import { TimeSlice } from '../time-slice.ts'
import type { FileRecord } from '../index/file-record.ts'
import type { ProjectIndex } from '../index/project-index.ts'
import { type LinePattern, PatternError } from './line-pattern.ts'
import { type SearchFilter, toAccept } from './search-filter.ts'

export interface GrepRequest extends SearchFilter, LinePattern {
  readonly limit: number
}

export interface GrepAnswer {
  readonly hits: readonly CodeHit[]
  /** False if the limit, the deadline or a slow file ended the search before the last file. */
  readonly isComplete: boolean
  /** The file on which the pattern took too long, if any. */
  readonly slowFile?: string
}

/** Well below the timeouts of clients and of the gateway. */
const TIME_LIMIT_MS = 20_000
/** A pattern that takes longer than this on one file backtracks without end. */
const FILE_LIMIT_MS = 1_500
/** The texts that share one time limit: a limit per file would take longer than the search. */
const BATCH_CHARACTERS = 2_000_000

interface ReadFile {
  readonly path: string
  readonly record: FileRecord
  readonly text: string
}

/**
 * Finds every matching line, file by file. It reads the files from disk and uses only the file list
 * of the index. The pattern runs under a time limit, because one that backtracks without end would
 * block the thread for ever.
 */
export async function grep(index: ProjectIndex, request: GrepRequest): Promise<GrepAnswer> {
  const { limit } = request
  const accept = toAccept(index, request)
  const slice = new TimeSlice()
  const deadline = performance.now() + TIME_LIMIT_MS
  const hits: CodeHit[] = []
  for (const batch of batches(index, request.literal)) {
    const found = findInBatch(request, batch)
    for (const { path, record, lines } of found.matches)
      for (const line of lines) {
        const chunk = chunkAt(record.ranges, line)
        if (accept && !accept(path, chunk)) continue
        hits.push({ path, chunk, startLine: line, endLine: line, score: 1 })
        if (hits.length >= limit) return { hits, isComplete: false }
      }
    if (found.slowFile !== undefined) return stoppedAt(found.slowFile, hits)
    if (performance.now() > deadline) return { hits, isComplete: false }
    if (slice.isOver) await slice.yieldToLoop()
  }
  return { hits, isComplete: true }
}

/** Returns the hits so far; without any, throws, because the user has to change the pattern. */
function stoppedAt(slowFile: string, hits: readonly CodeHit[]): GrepAnswer {
  if (hits.length > 0) return { hits, isComplete: false, slowFile }
  throw new PatternError(
    `The pattern took too long on ${slowFile}: simplify it, for example avoid nested repetition`,
  )
}

function* batches(index: ProjectIndex, literal: string | undefined): Generator<ReadFile[]> {
  let batch: ReadFile[] = []
  let characters = 0
  for (const [path, record] of index.files) {
    const text = readIfContains(join(index.project.root, path), literal)
    if (text === undefined) continue
    batch.push({ path, record, text })
    characters += text.length
    if (characters < BATCH_CHARACTERS) continue
    yield batch
    batch = []
    characters = 0
  }
  yield batch
}

function readIfContains(file: string, literal: string | undefined): string | undefined {
  try {
    const bytes = readFileSync(file)
    const mayMatch = literal === undefined || bytes.includes(literal) || isOtherwise(bytes, literal)
    return mayMatch ? decodeBytes(bytes) : undefined
  } catch {
    return undefined
  }
}

/** Whether a file may write a text with other bytes than UTF-8 does. */
function isOtherwise(bytes: Buffer, literal: string): boolean {
  return isUtf16(bytes) || (/[^\0-\x7F]/.test(literal) && !isUtf8(bytes))
}

interface BatchMatches {
  readonly matches: readonly (ReadFile & { readonly lines: readonly number[] })[]
  readonly slowFile?: string
}

/** Searches all files under one limit; if it is exceeded, one by one up to the slow file. */
function findInBatch(pattern: LinePattern, batch: readonly ReadFile[]): BatchMatches {
  const find = (file: ReadFile) => ({ ...file, lines: linesMatching(pattern, file.text) })
  try {
    return { matches: runWithin(2 * FILE_LIMIT_MS, () => batch.map(find)) }
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
  }
  const matches: BatchMatches['matches'][number][] = []
  for (const file of batch)
    try {
      matches.push(runWithin(FILE_LIMIT_MS, () => find(file)))
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error
      return { matches, slowFile: file.path }
    }
  return { matches }
}

/** Returns the lines of a text that match the pattern. */
function linesMatching({ pattern, spansLines }: LinePattern, text: string): number[] {
  if (spansLines) return linesOfMatches(pattern, text)
  // Most files have no match, which is faster to see on the whole text. With lookaround, a line may
  // match differently within the whole text than alone, so such patterns skip this check.
  if (!/\(\?<?[=!]/.test(pattern.source) && text.search(pattern) < 0) return []
  const found: number[] = []
  for (const [at, line] of text.split('\n').entries()) {
    pattern.lastIndex = 0
    if (pattern.test(line.endsWith('\r') ? line.slice(0, -1) : line)) found.push(at + 1)
  }
  return found
}

/** Returns the line on which each match begins. */
function linesOfMatches(pattern: RegExp, text: string): number[] {
  const found: number[] = []
  let line = 1
  let counted = 0
  for (const { index } of text.matchAll(pattern)) {
    for (; counted < index; counted++) if (text.charCodeAt(counted) === 10) line++
    if (found.at(-1) !== line) found.push(line)
  }
  return found
}

function chunkAt(ranges: readonly number[], line: number): number {
  for (let at = 0; at < ranges.length; at += 2) if ((ranges[at + 1] ?? 0) >= line) return at / 2
  return 0
}
