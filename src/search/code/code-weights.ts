import { CODE_FEATURES, type CodeFeature, type CodeFeatures } from './code-features.ts'
import type { CodeQuery } from './code-query.ts'

export type CodeWeights = Readonly<
  Record<CodeQuery['kind'], Readonly<Partial<Record<CodeFeature, number>>>>
>

/**
 * Fitted once over all development repositories of the benchmark together (a listwise model with a strong
 * pull to zero), and checked by leaving each repository out in turn; see bench/code.ts.
 */
export const CODE_WEIGHTS: CodeWeights = {
  text: {
    best: 1.5,
    rank: 1.5,
    mass: 1,
    spread: 0.6,
    named: 0.9,
    folderRecall: 2.5,
    namePrecision: 2.4,
    pathRecall: 1,
    compound: 1.5,
    defines: 1.5,
    spells: 0.5,
    eponym: 1.2,
    depth: -1.5,
    test: -2.4,
    example: -1.3,
    legacy: -0.4,
    package: -0.6,
    module: 1.2,
  },
  symbol: {
    best: 1.8,
    rank: 1.8,
    mass: 1.7,
    named: 0.5,
    namePrecision: 1.8,
    defines: 2.2,
    eponym: 0.9,
    test: -1.6,
    example: -0.4,
    module: 2,
  },
}

/** A file's score: larger is better, the size of a difference tells how sure it is. */
export function weigh(features: CodeFeatures, weights: CodeWeights[CodeQuery['kind']]): number {
  let score = 0
  for (const feature of CODE_FEATURES) score += (weights[feature] ?? 0) * features[feature]
  return score
}
