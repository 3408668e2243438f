import { Dependency, type DependencyOptions } from '../../base/flow/dependency.ts'
import type { Embedder } from './embedder.ts'

export interface QueryEmbedderOptions {
  /** How long a search waits for the vector of its query before it goes on with words alone. */
  readonly budgetMs: number
  readonly circuit?: Pick<DependencyOptions, 'failures' | 'openMs'>
  /** Called when the embedder stops answering, with the reason, and when it answers again. */
  readonly report?: (text: string) => void
}

const CIRCUIT = { failures: 2, openMs: 10_000 }

/** A timeout shorter than this says nothing about the embedder. */
const FAIR_MS = 100

/**
 * Embeds queries for searches that have words to fall back on: within a budget, and not at all for
 * a while after repeated failures. A late answer still reaches the cache behind the embedder.
 */
export class QueryEmbedder {
  readonly #embedder: Embedder
  readonly #budgetMs: number
  readonly #dependency: Dependency

  constructor(embedder: Embedder, options: QueryEmbedderOptions) {
    const { budgetMs, circuit = CIRCUIT, report = reportOnStderr } = options
    this.#embedder = embedder
    this.#budgetMs = budgetMs
    this.#dependency = new Dependency({
      ...circuit,
      onChange: (failure) =>
        report(
          failure === undefined
            ? 'The embedder answers again: searches are by words and meaning'
            : `The embedder fails, so searches are by words alone: ${failure}`,
        ),
    })
  }

  /**
   * Returns undefined if there is no vector in time: the search then uses words alone. It takes at
   * most half of the `leftMs` that the caller still waits.
   */
  async vectorOf(query: string, leftMs = Infinity): Promise<Float32Array | undefined> {
    const budgetMs = Math.min(this.#budgetMs, leftMs / 2)
    const answer = await this.#dependency.ask(
      async () => this.#embedder.embed([query], 'query'),
      budgetMs,
      () => budgetMs >= Math.min(FAIR_MS, this.#budgetMs),
    )
    return answer.kind === 'answer' ? answer.value[0] : undefined
  }
}

function reportOnStderr(text: string): void {
  process.stderr.write(`${text}\n`)
}
