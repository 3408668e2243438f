import type { WordModel } from './static/word-model.ts'

/** Turns texts into vectors. An outage is an error, never a missing vector. */
export interface Embedder {
  /** Which model, and how it is asked, in a form that can be compared: vectors of two identities never mix. */
  readonly identity: string
  /** Where the cosines of this model lie; see `closeness`. */
  readonly cosines?: CosineRange
  /**
   * The vector of one text at once, for models that take microseconds: then the windows of a passage
   * and the sentences of a question can be compared one by one.
   */
  embedNow?(text: string): Float32Array
  /** Set where it can also compare texts word by word. */
  readonly words?: WordModel
  /** The length of every vector. Read from the first answer of the model when it is not configured. */
  dimension(): Promise<number>
  /** One vector of length 1 per text, in the same order; all zeros for a text it has no opinion about. */
  embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<Float32Array[]>
  close(): Promise<void>
}

/** Some models want what is looked for and what is found marked apart. */
export type EmbeddingPurpose = 'document' | 'query'

/** Models differ in how near they put texts to each other: a cosine says little without these. */
export interface CosineRange {
  /** At or below it, two texts have nothing to do with each other. */
  readonly low: number
  /** At or above it, they say the same. */
  readonly high: number
}

/** Of common sentence models. */
const USUAL_COSINES: CosineRange = { low: 0.2, high: 0.75 }

/** A cosine of this model on the scale where 0 is unrelated and 1 says the same; it may lie beyond both. */
export function nearness(cosine: number, { cosines }: Pick<Embedder, 'cosines'>): number {
  const { low, high } = cosines ?? USUAL_COSINES
  return (cosine - low) / (high - low)
}

/** The same within 0..1, for what is shown or multiplied. */
export function closeness(cosine: number, embedder: Pick<Embedder, 'cosines'>): number {
  return Math.min(1, Math.max(0, nearness(cosine, embedder)))
}

/** The name of a model, without the options that its identity holds as well. */
export function modelName({ identity }: Pick<Embedder, 'identity'>): string {
  return /^\["([^"]+)"/.exec(identity)?.[1] ?? identity
}
