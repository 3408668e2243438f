import type { CallEvent } from '../gateway/call.ts'
import type { Principal } from '../gateway/agents/policy.ts'
import { agentOfClient } from '../identity/client-agent.ts'
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
const MAX_CLIENTS = 100

/** Collects figures about every call for the dashboard, from the moment that it is served. */
export class Observer {
  readonly timeline = new Timeline()
  readonly discovery = new DiscoverySavings(this.timeline)
  readonly #servers = new Map<string, ServerFacts>()
  /** For agents named after their clients: the agents whose rights they have. */
  readonly #clients = new Map<string, readonly string[]>()
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
    this.#noteClient(event)
    const { server, cache, decision, error } = event
    const failed = decision === 'ERROR' || decision === 'TIMEOUT'
    if (server === undefined || (cache === undefined && !failed)) return
    const facts = this.#factsOf(server)
    if (cache === 'hit') facts.hits++
    if (cache === 'miss') facts.misses++
    if (cache === 'hit') this.cacheTokens += event.tokenCount ?? 0
    if (failed && error !== undefined) facts.lastError = { atMs: event.startedAt, text: error }
  }

  /** Returns the agent for the rules: an agent named after its client has the rights of another. */
  principal(id: string): Principal {
    const ancestors = this.#clients.get(id)
    return ancestors ? { id, ancestors } : { id }
  }

  #noteClient({ agent, ancestors, client }: Readonly<CallEvent>): void {
    if (agent === undefined || ancestors === undefined || agentOfClient(client) !== agent) return
    if (this.#clients.size < MAX_CLIENTS) this.#clients.set(agent, ancestors)
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
