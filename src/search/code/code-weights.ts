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
    best: 1.6,
    rank: 1.8,
    mass: 0.9,
    spread: 1.1,
    named: 1.2,
    covered: 0.5,
    nameRecall: 0.3,
    namePrecision: 2.5,
    folderRecall: 2.5,
    pathRecall: 1.5,
    compound: 1.8,
    defines: 1.2,
    spells: 0.3,
    eponym: 1.2,
    depth: -1.6,
    test: -2.6,
    example: -1.4,
    legacy: -0.5,
    declaration: -0.5,
    package: -0.7,
    module: 1,
  },
  symbol: {
    best: 1.8,
    rank: 3,
    mass: 2,
    spread: 0.3,
    named: 1.3,
    covered: 0.8,
    nameRecall: 0.4,
    namePrecision: 1.5,
    defines: 2.8,
    eponym: 1.8,
    test: -1.7,
    example: -0.5,
    declaration: -0.5,
    module: 2.2,
  },
}

/** A file's score: larger is better, the size of a difference tells how sure it is. */
export function weigh(features: CodeFeatures, weights: CodeWeights[CodeQuery['kind']]): number {
  let score = 0
  for (const feature of CODE_FEATURES) score += (weights[feature] ?? 0) * features[feature]
  return score
}
