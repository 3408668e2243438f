import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TimeLimitError, runWithin } from '../../../../base/flow/run-within.ts'
import type { CodeHit } from '../../../../search/code/code-file.ts'
import { TimeSlice } from '../time-slice.ts'
import type { FileRecord } from '../index/file-record.ts'
import type { ProjectIndex } from '../index/project-index.ts'
import { decodeSource, isUtf16 } from '../index/read-source.ts'
import { type LinePattern, PatternError } from './line-pattern.ts'
import { type SearchFilter, toAccept } from './search-filter.ts'

export interface GrepRequest extends SearchFilter, LinePattern {
  readonly limit: number
}

export interface GrepAnswer {
  readonly hits: readonly CodeHit[]
  /** False when the limit, the time or a slow file ended the search before the last file. */
  readonly isComplete: boolean
  /** The file on which the pattern took too long, where there is one. */
  readonly slowFile?: string
}

/** Well within what clients and the gateway give a call. */
const TIME_LIMIT_MS = 20_000
/** A pattern that takes longer on one file backtracks without end. */
const FILE_LIMIT_MS = 1_500
/** Texts that share one time limit: setting one up for every file would take longer than the search. */
const BATCH_CHARACTERS = 2_000_000

interface ReadFile {
  readonly path: string
  readonly record: FileRecord
  readonly text: string
}

/**
 * Every line that matches, file by file, read from disk: exact search uses only the file list of the index.
 * The pattern runs under a time limit, because one that backtracks without end would hold the thread for ever.
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

/** What was found so far is not lost; with nothing found, the pattern is what the user has to change. */
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
    const mayMatch = literal === undefined || bytes.includes(literal) || isUtf16(bytes)
    return mayMatch ? decodeSource(bytes) : undefined
  } catch {
    return undefined
  }
}

interface BatchMatches {
  readonly matches: readonly (ReadFile & { readonly lines: readonly number[] })[]
  readonly slowFile?: string
}

/** All files under one limit; where that is passed, one by one up to the file that is to blame. */
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

/** The lines of a text on which the pattern matches. */
function linesMatching({ pattern, spansLines }: LinePattern, text: string): number[] {
  if (spansLines) return linesOfMatches(pattern, text)
  // Most files have no match at all, which is seen faster in the whole. A line that is looked at with
  // its neighbours may differ from the line alone, where the pattern looks around itself.
  if (!/\(\?<?[=!]/.test(pattern.source) && text.search(pattern) < 0) return []
  const found: number[] = []
  for (const [at, line] of text.split('\n').entries()) {
    pattern.lastIndex = 0
    if (pattern.test(line.endsWith('\r') ? line.slice(0, -1) : line)) found.push(at + 1)
  }
  return found
}

/** Where each match begins. */
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
