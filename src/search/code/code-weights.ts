import type { CodeFeature } from './code-features.ts'
import type { CodeQuery } from './code-query.ts'

export type CodeWeights = Weights<CodeFeature>

/**
 * Fitted once over all development repositories of the benchmark together (a listwise model with
 * strong regularisation), and checked by leaving each repository, and each language, out in turn.
 * The weights of roles and of meaning were chosen on whole checkouts and on natural questions
 * (bench/data/natural-questions).
 */
export const CODE_WEIGHTS: Readonly<Record<CodeQuery['kind'], CodeWeights>> = {
  text: {
    best: 1,
    rank: 1.9,
    mass: 0.8,
    spread: 1.2,
    named: 1.3,
    covered: 0.45,
    nameRecall: 0.7,
    namePrecision: 2.4,
    folderRecall: 2.2,
    pathRecall: 1.5,
    compound: 1.8,
    defines: 0.9,
    spells: 1,
    eponym: 1.25,
    central: 0.8,
    depth: -2.5,
    nearest: 1,
    meaning: 8,
    called: 3,
    passage: 5,
    wordwise: 6,
    partial: -1,
    beside: -3,
    test: -8,
    example: -7,
    legacy: -0.55,
    foreign: -4,
    declaration: -0.5,
    package: -0.7,
    module: 1,
    prose: -10,
    data: -6,
  },
  symbol: {
    best: 1.9,
    rank: 2.8,
    mass: 1.4,
    spread: 0.6,
    named: 1.6,
    covered: 1.1,
    nameRecall: 0.6,
    namePrecision: 1.2,
    pathRecall: 0.6,
    defines: 3.2,
    eponym: 1.5,
    central: 2.5,
    depth: -0.3,
    partial: -1,
    beside: -1.5,
    test: -3,
    example: -2,
    foreign: -0.5,
    declaration: -0.5,
    module: 2.2,
    prose: -4,
    data: -3,
  },
}

const BY_MEANING = ['nearest', 'meaning', 'called', 'passage', 'wordwise'] as const
/** The part of these weights that remains if a sentence names identifiers. */
const BESIDE_NAMES = 0.8

const NAMING_TEXT: CodeWeights = {
  ...CODE_WEIGHTS.text,
  ...Object.fromEntries(
    BY_MEANING.map((feature) => [feature, BESIDE_NAMES * (CODE_WEIGHTS.text[feature] ?? 0)]),
  ),
}

/** Returns the weights for a query; one that names identifiers depends less on meaning. */
export function weightsFor({ kind, names }: CodeQuery): CodeWeights {
  return kind === 'text' && names.length > 0 ? NAMING_TEXT : CODE_WEIGHTS[kind]
}

/** How much each feature counts for or against a candidate; an absent one does not count. */
export type Weights<Feature extends string> = Readonly<Partial<Record<Feature, number>>>

/** Returns a candidate's score: larger is better. Each domain defines its own features. */
export function weigh<Feature extends string>(
  features: Readonly<Record<Feature, number>>,
  weights: Weights<Feature>,
): number {
  let score = 0
  for (const feature in weights) score += (weights[feature] ?? 0) * features[feature]
  return score
}
