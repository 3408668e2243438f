import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TimeLimitError, runWithin } from '../../../../base/run-within.ts'
import type { CodeHit } from '../../../../search/code/code-file.ts'
import { TimeSlice } from '../time-slice.ts'
import type { ProjectIndex } from '../index/project-index.ts'
import { type SearchFilter, toAccept } from './search-filter.ts'

export interface GrepRequest extends SearchFilter {
  readonly pattern: RegExp
  readonly limit: number
  readonly timeLimitMs?: number
  /** A text every match contains: files without it are not searched further. */
  readonly literal?: string
}

export interface GrepAnswer {
  readonly hits: readonly CodeHit[]
  /** False when the limit or the time ended the search before the last file. */
  readonly isComplete: boolean
}

export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/**
 * Every line that matches, file by file, read from disk: exact search uses only the file list of the index.
 * The pattern runs under a time limit, because one that backtracks without end would hold the thread for ever.
 */
export async function grep(index: ProjectIndex, request: GrepRequest): Promise<GrepAnswer> {
  const { limit, literal, timeLimitMs = 3_000 } = request
  const accept = toAccept(index, request)
  const slice = new TimeSlice()
  const deadline = performance.now() + timeLimitMs
  const hits: CodeHit[] = []
  for (const [path, record] of index.files) {
    const text = readIfContains(join(index.project.root, path), literal)
    if (text === undefined) continue
    for (const line of findInTime(request.pattern, text, deadline - performance.now())) {
      const chunk = chunkAt(record.ranges, line)
      if (accept && !accept(path, chunk)) continue
      hits.push({ path, chunk, startLine: line, endLine: line, score: 1 })
      if (hits.length >= limit) return { hits, isComplete: false }
    }
    if (performance.now() > deadline) return { hits, isComplete: false }
    if (slice.isOver) await slice.yieldToLoop()
  }
  return { hits, isComplete: true }
}

function readIfContains(file: string, literal: string | undefined): string | undefined {
  try {
    const bytes = readFileSync(file)
    return literal === undefined || bytes.includes(literal) ? bytes.toString('utf8') : undefined
  } catch {
    return undefined
  }
}

/** The lines of a text on which the pattern matches. */
function linesMatching(pattern: RegExp, text: string): number[] {
  const found: number[] = []
  let line = 1
  let counted = 0
  for (const { index } of text.matchAll(pattern)) {
    for (; counted < index; counted++) if (text.charCodeAt(counted) === 10) line++
    if (found.at(-1) !== line) found.push(line)
  }
  return found
}

function findInTime(pattern: RegExp, text: string, timeoutMs: number): number[] {
  try {
    return runWithin(timeoutMs, () => linesMatching(pattern, text))
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
    throw new PatternError(
      'The pattern took too long: simplify it, for example avoid nested repetition',
      { cause: error },
    )
  }
}

function chunkAt(ranges: readonly number[], line: number): number {
  for (let at = 0; at < ranges.length; at += 2) if ((ranges[at + 1] ?? 0) >= line) return at / 2
  return 0
}

/** A pattern of the user, checked; `literal` texts are matched as they are. */
export function toPattern(text: string, isRegex: boolean): { pattern: RegExp; literal?: string } {
  if (!isRegex) return { pattern: new RegExp(escapeRegExp(text), 'g'), literal: text }
  try {
    return { pattern: new RegExp(text, 'gm') }
  } catch (error) {
    throw new PatternError(`Not a valid regular expression: ${String(error)}`, { cause: error })
  }
}

export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
