import { Circuit, type CircuitOptions } from '../../base/flow/circuit.ts'
import { messageOf } from '../../base/errors.ts'
import { withTimeout } from '../../base/flow/time.ts'
import type { Embedder } from './embedder.ts'

export interface QueryEmbedderOptions {
  /** How long a search waits for the vector of its query before it goes on with words alone. */
  readonly budgetMs: number
  readonly circuit?: CircuitOptions
  /** Called when the embedder stops answering, with the reason, and when it answers again. */
  readonly report?: (text: string) => void
}

const CIRCUIT: CircuitOptions = { failures: 2, openMs: 10_000 }

/** A timeout shorter than this says nothing about the embedder. */
const FAIR_MS = 100

class Late extends Error {
  override readonly name = 'Late'
}

/**
 * Embeds queries for searches that have words to fall back on: within a budget, and not at all for
 * a while after repeated failures. A late answer still reaches the cache behind the embedder.
 */
export class QueryEmbedder {
  readonly #embedder: Embedder
  readonly #budgetMs: number
  readonly #circuit: Circuit
  #failure = ''

  constructor(embedder: Embedder, options: QueryEmbedderOptions) {
    const { budgetMs, circuit = CIRCUIT, report = reportOnStderr } = options
    this.#embedder = embedder
    this.#budgetMs = budgetMs
    this.#circuit = new Circuit(() => ({
      ...circuit,
      onStateChange: (state) =>
        report(
          state === 'open'
            ? `The embedder fails, so searches are by words alone: ${this.#failure}`
            : 'The embedder answers again: searches are by words and meaning',
        ),
    }))
  }

  /**
   * Returns undefined if there is no vector in time: the search then uses words alone. It takes at
   * most half of the `leftMs` that the caller still waits.
   */
  async vectorOf(query: string, leftMs = Infinity): Promise<Float32Array | undefined> {
    if (this.#circuit.enter() !== undefined) return undefined
    const budgetMs = Math.min(this.#budgetMs, leftMs / 2)
    try {
      const embedding = this.#embedder.embed([query], 'query')
      const vectors = await withTimeout(embedding, budgetMs, () => {
        throw new Late(`no answer within ${Math.round(budgetMs)} ms`)
      })
      this.#circuit.succeeded()
      return vectors[0]
    } catch (error) {
      this.#failure = messageOf(error)
      const fairMs = Math.min(FAIR_MS, this.#budgetMs)
      if (error instanceof Late && budgetMs < fairMs) this.#circuit.inconclusive()
      else this.#circuit.failed()
      return undefined
    }
  }
}

function reportOnStderr(text: string): void {
  process.stderr.write(`${text}\n`)
}
