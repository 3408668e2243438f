import { Circuit, type CircuitOptions } from '../../base/circuit.ts'
import { withTimeout } from '../../base/time.ts'
import type { Embedder } from './embedder.ts'

export interface QueryEmbedderOptions {
  /** How long a search waits for the vector of its query before it goes on with words alone. */
  readonly budgetMs: number
  readonly circuit?: CircuitOptions
}

const CIRCUIT: CircuitOptions = { failures: 2, openMs: 10_000 }

/**
 * Embeds queries for searches that have words to fall back on: within a budget, and not at all for
 * a while after repeated failures. A late answer still reaches the cache behind the embedder.
 */
export class QueryEmbedder {
  readonly #embedder: Embedder
  readonly #budgetMs: number
  readonly #circuit: Circuit

  constructor(embedder: Embedder, { budgetMs, circuit = CIRCUIT }: QueryEmbedderOptions) {
    this.#embedder = embedder
    this.#budgetMs = budgetMs
    this.#circuit = new Circuit(() => circuit)
  }

  /** Undefined when there is no vector in time: the search is then by words alone. */
  async vectorOf(query: string): Promise<Float32Array | undefined> {
    if (this.#circuit.enter() !== undefined) return undefined
    const embedding = this.#embedder.embed([query], 'query')
    // The reason of a failure is not lost: embedding documents meets the same one and reports it.
    const vectors = await withTimeout(embedding, this.#budgetMs, () => undefined).catch(
      () => undefined,
    )
    if (vectors) this.#circuit.succeeded()
    else this.#circuit.failed()
    return vectors?.[0]
  }
}
