import type { TraceRow } from '../../../../storage/tables/trace-tables.ts'
import { findTraces } from '../../../../storage/traces/trace-rows.ts'
import { vectorsOf } from '../../../../storage/traces/trace-vectors.ts'
import type { Deps } from '../../service/deps.ts'
import { type Shingles, overlap, shinglesOf } from '../../service/rules/near-duplicate.ts'
import { describeDivergence } from './describe-divergence.ts'
import { nearPairs } from './near-pairs.ts'
import { textAgreement, vectorAgreement } from './signatures.ts'
import type { Signatures, TraceSurvey } from './survey-traces.ts'

/** Shares of common three-word sequences, and the cosine of the contract (distance below 0.10). */
const DUPLICATE = 0.6
const SAME_MEANING = 0.9
const SAME_PROBLEM = 0.45
const OTHER_SOLUTION = 0.1
/** Signatures are estimates, so pairs below the threshold by at most this are compared exactly. */
const SLACK = 0.15
/** Two vectors with that cosine are on the same side of 0.86 of the planes. */
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

type Pair = readonly [string, string]

interface Conflict {
  readonly pair: Pair
  readonly summary: string
}

export interface Repeats {
  readonly duplicates: readonly Pair[]
  readonly conflicts: readonly Conflict[]
  /** The number of signature pairs that were compared. */
  readonly compared: number
}

/** Finds traces that say the same, and traces with different solutions for the same problem. */
export async function findRepeats(deps: Deps, traces: readonly TraceSurvey[]): Promise<Repeats> {
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

/** Whether two traces have the same problem but different solutions. */
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

/** Finds pairs by words, by words of the problem, and by meaning if there is an embedder. */
async function likelyPairs(
  traces: readonly TraceSurvey[],
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
  // Sorted, so that the pairs of one trace are loaded together.
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

/** Returns the dot product; for vectors of length 1, this is their cosine. */
function product(one: Float32Array | undefined, other: Float32Array | undefined): number {
  let sum = 0
  for (const [at, value] of one?.entries() ?? []) sum += value * (other?.[at] ?? 0)
  return sum
}
