import type { Feed } from '../telemetry/feed.ts'
import { isTraffic } from '../telemetry/ledger.ts'

export interface LastError {
  readonly atMs: number
  readonly text: string
}

const MAX_SERVERS = 500

/** Remembers why a call to each server last failed, from the moment that the dashboard is served. */
export class Observer {
  readonly #errors = new Map<string, LastError>()

  follow(feed: Pick<Feed, 'listen'>): () => void {
    return feed.listen((event) => {
      const { server, decision, error, startedAt } = event
      if (server === undefined || error === undefined || !isTraffic(event)) return
      if (decision !== 'ERROR' && decision !== 'TIMEOUT') return
      // Callers choose these names, so their number is limited.
      if (this.#errors.size < MAX_SERVERS || this.#errors.has(server))
        this.#errors.set(server, { atMs: startedAt, text: error })
    })
  }

  lastError(server: string): LastError | undefined {
    return this.#errors.get(server)
  }
}
