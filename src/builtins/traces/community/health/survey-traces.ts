import { setImmediate } from 'node:timers/promises'
import type { TraceRow } from '../../../../storage/tables/trace-tables.ts'
import { tagsOf } from '../../../../storage/traces/tags.ts'
import { tracesAfter } from '../../../../storage/traces/trace-rows.ts'
import { vectorsOf } from '../../../../storage/traces/trace-vectors.ts'
import type { Deps } from '../../service/deps.ts'
import { findSignsOfAge } from './find-signs-of-age.ts'
import { isExpired } from '../../service/rules/rank-score.ts'
import type { Signature } from './near-pairs.ts'
import { textSignature, vectorSignature } from './signatures.ts'

const PAGE = 200

/** The part of a trace that stays in memory during the survey; its texts do not. */
export interface TraceSurvey {
  readonly id: string
  readonly title: string
  readonly isFlagged: boolean
  readonly signsOfAge: readonly string[]
  readonly worth: number
  /** Undefined for expired and flagged traces and for patterns, which do not count as repeats. */
  readonly signatures: Signatures | undefined
}

export interface Signatures {
  readonly text: Signature
  readonly problem: Signature
  /** Absent without an embedder, or if the trace is not embedded yet. */
  readonly meaning: Signature | undefined
}

export async function surveyTraces(deps: Deps): Promise<TraceSurvey[]> {
  const { storage, semantic } = deps
  const surveyed: TraceSurvey[] = []
  for (let last = ''; ; last = surveyed.at(-1)?.id ?? '') {
    const rows = await tracesAfter(storage.db, last, PAGE)
    if (rows.length === 0) return surveyed
    const ids = rows.map(({ id }) => id)
    const tags = await tagsOf(storage.db, ids)
    const vectors = semantic && (await vectorsOf(storage.db, semantic.model, ids))
    for (const row of rows)
      surveyed.push({
        id: row.id,
        title: row.title,
        isFlagged: row.is_flagged === 1,
        signsOfAge: signsOf(row, deps.now()),
        worth: worthKeeping({ ...row, tags: tags.get(row.id) ?? [] }),
        signatures: repeats(row, deps.now()) ? signaturesOf(row, vectors?.get(row.id)) : undefined,
      })
    await setImmediate()
  }
}

function signsOf(row: TraceRow, now: number): string[] {
  const signs = findSignsOfAge(`${row.title}\n${row.context_text}\n${row.solution_text}`, now)
  return row.is_stale === 1 ? ['is marked as stale', ...signs] : signs
}

function repeats(row: TraceRow, now: number): boolean {
  return row.is_flagged === 0 && row.trace_type === 'episodic' && !isExpired(row, now)
}

function signaturesOf(row: TraceRow, vector: Float32Array | undefined): Signatures {
  return {
    text: textSignature(row),
    problem: textSignature({ ...row, solution_text: '' }),
    meaning: vector && vectorSignature(vector),
  }
}

const CODE = /```|^(?: {4}|\t)\S|`[^`\n]+`/m

interface Kept {
  readonly solution_text: string
  readonly tags: readonly string[]
}

/** Rates a duplicate, 0..3, to choose the one to keep: long solution, with code, with tags. */
export function worthKeeping({ solution_text, tags }: Kept): number {
  return (
    Math.min(solution_text.length, 1500) / 1500 +
    (CODE.test(solution_text) ? 1 : 0) +
    Math.min(tags.length, 5) / 5
  )
}
