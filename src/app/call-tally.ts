import type { CallEvent } from '../gateway/call.ts'
import type { Feed } from '../telemetry/feed.ts'
import type { HealthSource } from '../upstreams/openapi/call/service-metrics.ts'

interface Counts {
  hits: number
  misses: number
  summaries: number
  reductionPctSum: number
  refused: number
}

/** Counts per server what only the layers around it can see, for servers that report their health. */
export class CallTally {
  readonly #counts = new Map<string, Counts>()

  /** Reads every call from now on. */
  follow(feed: Pick<Feed, 'listen'>): void {
    feed.listen((event) => this.#record(event))
  }

  of(server: string): HealthSource {
    return {
      cache: () => this.#of(server),
      summaries: () => {
        const { summaries: count, reductionPctSum } = this.#of(server)
        return { count, averageReductionPct: count === 0 ? null : reductionPctSum / count }
      },
      refusals: () => this.#of(server).refused,
    }
  }

  #of(server: string): Counts {
    let counts = this.#counts.get(server)
    if (!counts) {
      counts = { hits: 0, misses: 0, summaries: 0, reductionPctSum: 0, refused: 0 }
      this.#counts.set(server, counts)
    }
    return counts
  }

  #record({ server, cache, outcome, tokenCount, tokensSaved = 0 }: Readonly<CallEvent>): void {
    if (server === undefined) return
    const counts = this.#of(server)
    if (cache === 'hit') counts.hits++
    if (cache === 'miss') counts.misses++
    if (outcome === 'INVALID_PARAMS') counts.refused++
    if (tokensSaved > 0 && tokenCount !== undefined) {
      counts.summaries++
      counts.reductionPctSum += (100 * tokensSaved) / (tokensSaved + tokenCount)
    }
  }
}
