import type { CallEvent } from '../../gateway/call.ts'
import type { Principal } from '../../gateway/agents/policy.ts'
import { isNamedAfterClient } from '../../identity/who-is.ts'
import type { Timeline } from '../../telemetry/timeline.ts'
import type { Priced, TokenCosts } from './token-costs.ts'

interface Waiting {
  readonly agent: Principal
  readonly atMs: number
  listings: number
  chars: number
}

/** Signatures and JSON schemas have 4.3 characters a token: 4 overstates the cost of discovery. */
const CHARS_PER_TOKEN = 4
const SECOND_MS = 1_000
const MAX_WAITING = 5_000

/**
 * The tokens that discovery saved. A listing that showed the discovery tools saved the definitions
 * of every tool the agent may use, less those shown; later discovery results are subtracted. Tokens
 * are counted on request, with the definitions of that time, so that calls never wait for it.
 */
export class DiscoverySavings {
  readonly #timeline: Timeline
  readonly #waiting = new Map<string, Waiting>()
  /** Whether folding frees enough space that it costs a call little on average. */
  #frees = true
  tokens = 0
  listings = 0

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  record(event: Readonly<CallEvent>): void {
    const { surface, answerChars = 0, agent, ancestors, startedAt } = event
    const listed = surface === 'discover'
    if ((!listed && answerChars === 0) || agent === undefined) return
    const second = Math.floor(startedAt / SECOND_MS)
    const key = `${second} ${agent}`
    let waiting = this.#waiting.get(key)
    if (!waiting) {
      if (this.#waiting.size >= MAX_WAITING && this.#frees) this.#fold()
      // Callers choose the names of agents: beyond the bound, they are left out until somebody looks.
      if (this.#waiting.size >= MAX_WAITING) return
      // An agent named after its client has all rights of its ancestors; which part of them the
      // holder of a handle has is not known here.
      const rights = isNamedAfterClient({ ...event, agent }) ? { ancestors } : {}
      waiting = { agent: { id: agent, ...rights }, atMs: second * SECOND_MS, listings: 0, chars: 0 }
      this.#waiting.set(key, waiting)
    }
    if (listed) {
      waiting.listings++
      this.listings++
    }
    waiting.chars += answerChars
  }

  settle(world: Priced, costs: TokenCosts): void {
    for (const { agent, atMs, listings, chars } of this.#waiting.values()) {
      // The rules do not name the holder of a handle, so what it may see is not known here.
      const known = world.policy.knows(agent.id) || agent.ancestors !== undefined
      const saved = known ? listings * perListing(agent, world, costs) : 0
      const tokens = saved - Math.ceil(chars / CHARS_PER_TOKEN)
      this.tokens += tokens
      this.#timeline.add('discoveryTokens', tokens, atMs)
    }
    this.#waiting.clear()
    this.#frees = true
  }

  /** Merges the entries of each agent into one, with the newest time, to free space. */
  #fold(): void {
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const one of all) {
      const before = this.#waiting.get(one.agent.id)
      this.#waiting.set(one.agent.id, {
        ...one,
        listings: one.listings + (before?.listings ?? 0),
        chars: one.chars + (before?.chars ?? 0),
      })
    }
    this.#frees = this.#waiting.size < MAX_WAITING / 2
  }
}

function perListing(agent: Principal, world: Priced, costs: TokenCosts): number {
  return costs.ofAgent(agent, world).allTokens - costs.ofDiscovery(agent, world)
}
