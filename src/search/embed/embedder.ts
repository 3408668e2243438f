/** Turns texts into vectors. An outage is an error, never a missing vector. */
export interface Embedder {
  /** Which model, and how it is asked, in a form that can be compared: vectors of two identities never mix. */
  readonly identity: string
  /** The length of every vector. Read from the first answer of the model when it is not configured. */
  dimension(): Promise<number>
  /** One vector of length 1 per text, in the same order. */
  embed(texts: readonly string[], purpose: EmbeddingPurpose): Promise<Float32Array[]>
  close(): Promise<void>
}

/** Some models want what is looked for and what is found marked apart. */
export type EmbeddingPurpose = 'document' | 'query'
