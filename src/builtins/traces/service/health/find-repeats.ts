import type { TraceRow } from '../../../../storage/tables/trace-tables.ts'
import { findTraces } from '../../../../storage/traces/trace-rows.ts'
import { vectorsOf } from '../../../../storage/traces/trace-vectors.ts'
import type { Deps } from '../deps.ts'
import { type Shingles, overlap, shinglesOf } from '../rules/near-duplicate.ts'
import { describeDivergence } from './describe-divergence.ts'
import { nearPairs } from './near-pairs.ts'
import { textAgreement, vectorAgreement } from './signatures.ts'
import type { Signatures, Surveyed } from './survey-traces.ts'

/** Shares of common runs of three words; and the cosine of the contract (a distance under 0.10). */
const DUPLICATE = 0.6
const SAME_MEANING = 0.9
const SAME_PROBLEM = 0.45
const OTHER_SOLUTION = 0.1
/** Signatures are guesses: what misses the mark by no more than this gets a closer look. */
const SLACK = 0.15
/** The share of planes that two vectors with that cosine are on the same side of is 0.86. */
const SAME_SIDES = 0.8
const BATCH = 500

const WAYS = [
  {
    signatureOf: ({ text }: Signatures) => text,
    agreement: textAgreement,
    atLeast: DUPLICATE - SLACK,
  },
  {
    signatureOf: ({ problem }: Signatures) => problem,
    agreement: textAgreement,
    atLeast: SAME_PROBLEM - SLACK,
  },
  {
    signatureOf: ({ meaning }: Signatures) => meaning,
    agreement: vectorAgreement,
    atLeast: SAME_SIDES,
  },
]

export type Pair = readonly [string, string]

export interface Conflict {
  readonly pair: Pair
  readonly summary: string
}

export interface Repeats {
  readonly duplicates: readonly Pair[]
  readonly conflicts: readonly Conflict[]
  /** How many pairs of signatures were looked at for it. */
  readonly compared: number
}

/** What says the same twice, and what answers the same problem in two ways. */
export async function findRepeats(deps: Deps, traces: readonly Surveyed[]): Promise<Repeats> {
  const { pairs, compared } = await likelyPairs(traces)
  const duplicates: Pair[] = []
  const conflicts: Conflict[] = []
  for (let start = 0; start < pairs.length; start += BATCH)
    for (const { pair, one, other, cosine } of await load(deps, pairs.slice(start, start + BATCH)))
      if (overlap(one.text, other.text) >= DUPLICATE || cosine >= SAME_MEANING)
        duplicates.push(pair)
      else if (inConflict(one, other))
        conflicts.push({ pair, summary: describeDivergence(one.row, other.row) })
  return { duplicates, conflicts, compared }
}

/** The same problem with another answer. */
function inConflict(one: Parts, other: Parts): boolean {
  return (
    overlap(one.problem, other.problem) >= SAME_PROBLEM &&
    overlap(one.solution, other.solution) <= OTHER_SOLUTION
  )
}

interface Parts {
  readonly row: TraceRow
  readonly text: Shingles
  readonly problem: Shingles
  readonly solution: Shingles
}

function toParts(row: TraceRow): Parts {
  return {
    row,
    text: shinglesOf(row),
    problem: shinglesOf({ ...row, solution_text: '' }),
    solution: shinglesOf({ ...row, title: '', context_text: '' }),
  }
}

/** By their words, by the words of their problems, and by their meaning where there is an embedder. */
async function likelyPairs(
  traces: readonly Surveyed[],
): Promise<{ pairs: Pair[]; compared: number }> {
  const found = new Map<string, Pair>()
  let compared = 0
  for (const { signatureOf, agreement, atLeast } of WAYS) {
    const signed = traces.flatMap((trace) => {
      const signature = trace.signatures && signatureOf(trace.signatures)
      return signature ? [{ id: trace.id, signature }] : []
    })
    const near = await nearPairs(
      signed.map(({ signature }) => signature),
      { agreement, atLeast },
    )
    compared += near.compared
    for (const [a, b] of near.pairs) {
      const pair = [signed[a]?.id ?? '', signed[b]?.id ?? ''] as const
      found.set(pair.join(), pair)
    }
  }
  // In order, so that those of one trace are read together.
  const pairs = [...found.values()].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return { pairs, compared }
}

async function load(
  { storage, semantic }: Deps,
  pairs: readonly Pair[],
): Promise<{ pair: Pair; one: Parts; other: Parts; cosine: number }[]> {
  const ids = [...new Set(pairs.flat())]
  const rows = await findTraces(storage.db, ids)
  const parts = new Map(rows.map((row) => [row.id, toParts(row)]))
  const vectors = semantic && (await vectorsOf(storage.db, semantic.model, ids))
  return pairs.flatMap((pair) => {
    const [a, b] = pair
    const [one, other] = [parts.get(a), parts.get(b)]
    if (!one || !other) return []
    return [{ pair, one, other, cosine: product(vectors?.get(a), vectors?.get(b)) }]
  })
}

/** Of vectors of length 1: their cosine. */
function product(one: Float32Array | undefined, other: Float32Array | undefined): number {
  let sum = 0
  for (const [at, value] of one?.entries() ?? []) sum += value * (other?.[at] ?? 0)
  return sum
}
