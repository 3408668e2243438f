import type { CodeFeatures } from './code-features.ts'
import type { CodeQuery } from './code-query.ts'
import { CODE_WEIGHTS } from './code-weights.ts'
import type { IndexedFile, RankedFile } from './rank-files.ts'

export interface PlacedChunk {
  readonly file: IndexedFile
  readonly document: number
  readonly features: CodeFeatures
  /** 0..1. */
  readonly score: number
}

/** The penalty of each further chunk of a file, so that one file does not fill the answer. */
const REPEAT = 7
/** A file whose weighted features are lower by this has about a third of the score. */
const SCALE = 5

/** Returns the factor by which a file's score rises if it defines what the query names. */
export function definitionBoost(kind: CodeQuery['kind']): number {
  return Math.exp((CODE_WEIGHTS[kind].defines ?? 0) / SCALE)
}

/**
 * Selects the chunks to answer with. The score of the best one is the share of the query that its
 * file covers, or its nearness in meaning, so that a query about something else scores low
 * throughout; the other scores decrease from there.
 */
export function spreadChunks(ranked: readonly RankedFile[], limit: number): PlacedChunk[] {
  const [best] = ranked
  if (!best) return []
  const { covered, defines, nearest } = best.features
  const sure = Math.max(covered, defines, nearest, best.chunks[0]?.score ?? 0)
  return ranked
    .slice(0, limit)
    .flatMap(({ file, features, score, chunks }) =>
      chunks.slice(0, limit).map(({ document }, at) => ({
        file,
        document,
        features,
        score: sure * Math.exp((score - REPEAT * at - best.score) / SCALE),
      })),
    )
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
}
