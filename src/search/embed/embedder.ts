import type { WordModel } from './static/word-model.ts'

/** Turns texts into vectors. An outage is an error, never a missing vector. */
export interface Embedder {
  /** A comparable name of the model and its options: vectors of two identities never mix. */
  readonly identity: string
  /** The range of this model's cosines; see `closeness`. */
  readonly cosines?: CosineRange
  /**
   * Returns the vector of one text synchronously, for models that take microseconds: the windows of
   * a passage and the sentences of a question can then be compared one by one.
   */
  embedNow?(text: string): Float32Array
  /** Set if it can also compare texts word by word. */
  readonly words?: WordModel
  /** The length of every vector, read from the first answer of the model if not configured. */
  dimension(): Promise<number>
  /**
   * Returns one vector of length 1 per text, in the same order; all zeros for a text that the model
   * does not know.
   */
  embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<Float32Array[]>
  close(): Promise<void>
}

/** Some models expect queries and documents to be marked differently. */
export type EmbeddingPurpose = 'document' | 'query'

/** Models differ in how near they place texts: a cosine says little without this range. */
export interface CosineRange {
  /** At or below it, two texts are unrelated. */
  readonly low: number
  /** At or above it, they say the same. */
  readonly high: number
}

/** The range of common sentence models. */
const USUAL_COSINES: CosineRange = { low: 0.2, high: 0.75 }

/** Maps a cosine to a scale where 0 is unrelated and 1 says the same; it may exceed both. */
export function nearness(cosine: number, { cosines }: Pick<Embedder, 'cosines'>): number {
  const { low, high } = cosines ?? USUAL_COSINES
  return (cosine - low) / (high - low)
}

/** The same limited to 0..1, for values that are shown or multiplied. */
export function closeness(cosine: number, embedder: Pick<Embedder, 'cosines'>): number {
  return Math.min(1, Math.max(0, nearness(cosine, embedder)))
}

/** Returns the name of a model, without the options that its identity also contains. */
export function modelName({ identity }: Pick<Embedder, 'identity'>): string {
  return /^\["([^"]+)"/.exec(identity)?.[1] ?? identity
}
