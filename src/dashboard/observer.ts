import type { CallEvent } from '../gateway/call.ts'
import type { Feed } from '../telemetry/feed.ts'
import { isTraffic } from '../telemetry/ledger.ts'
import { Timeline } from '../telemetry/timeline.ts'
import { DiscoverySavings } from './views/discovery-savings.ts'

export interface ServerFacts {
  hits: number
  misses: number
  lastError: { readonly atMs: number; readonly text: string } | undefined
}

const MAX_SERVERS = 500

/** Collects figures about every call for the dashboard, from the moment that it is served. */
export class Observer {
  readonly timeline = new Timeline()
  readonly discovery = new DiscoverySavings(this.timeline)
  readonly #servers = new Map<string, ServerFacts>()
  /** Tokens of results that came from the cache, as far as they were counted. */
  cacheTokens = 0

  follow(feed: Pick<Feed, 'listen'>): () => void {
    return feed.listen((event) => {
      if (isTraffic(event)) this.#record(event)
    })
  }

  server(name: string): Readonly<ServerFacts> | undefined {
    return this.#servers.get(name)
  }

  #record(event: Readonly<CallEvent>): void {
    this.timeline.record(event)
    this.discovery.record(event)
    const { server, cache, decision, error } = event
    const failed = decision === 'ERROR' || decision === 'TIMEOUT'
    if (server === undefined || (cache === undefined && !failed)) return
    const facts = this.#factsOf(server)
    if (cache === 'hit') facts.hits++
    if (cache === 'miss') facts.misses++
    if (cache === 'hit') this.cacheTokens += event.tokenCount ?? 0
    if (failed && error !== undefined) facts.lastError = { atMs: event.startedAt, text: error }
  }

  #factsOf(server: string): ServerFacts {
    const known = this.#servers.get(server)
    if (known) return known
    const facts: ServerFacts = { hits: 0, misses: 0, lastError: undefined }
    // Callers choose these names, so their number is limited.
    if (this.#servers.size < MAX_SERVERS) this.#servers.set(server, facts)
    return facts
  }
}
