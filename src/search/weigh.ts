/** How much each feature of a candidate counts, for it or against it; one left out counts nothing. */
export type Weights<Feature extends string> = Readonly<Partial<Record<Feature, number>>>

/** A candidate's score: larger is better. What the features are is each domain's own affair. */
export function weigh<Feature extends string>(
  features: Readonly<Record<Feature, number>>,
  weights: Weights<Feature>,
): number {
  let score = 0
  for (const feature in weights) score += (weights[feature] ?? 0) * features[feature]
  return score
}
