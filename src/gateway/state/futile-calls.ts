import type { CallEvent } from '../call.ts'

/** This many failed calls a second cost an agent nothing. */
const FREE_PER_SECOND = 10
/** How many more than that it may have had before its calls wait. */
const FREE = 20
const WAIT_MS = 10
const MAX_WAIT_MS = 1_000
/** An agent that has called within this time uses the gateway. */
const IN_USE_MS = 10_000
/** Past this many agents, those whose calls do not wait are dropped. */
const MAX_AGENTS = 1_000

/** Failures that are the server's: they say nothing about the caller. */
const OF_SERVERS: ReadonlySet<string | undefined> = new Set<CallEvent['outcome']>([
  'SERVER_UNAVAILABLE',
  'SERVER_BUSY',
  'CIRCUIT_OPEN',
  'SIGN_IN_REQUIRED',
  'rpc_error',
])

interface Failures {
  /** More than the agent may have for nothing. */
  count: number
  countedAtMs: number
}

/**
 * Agents whose calls mostly fail through their own fault: denied, invalid, given up, or with
 * timeouts too short for any answer. Such calls end at once, so the agent can make them without end
 * and keep the gateway busy for nothing. While others use the gateway, its calls wait before they
 * start, longer with each failure, and shorter with each answer and with time
 * (docs/decisions/futile-calls.md).
 */
export class FutileCalls {
  readonly #now: () => number
  readonly #failures = new Map<string, Failures>()
  #latest = ''
  #latestAtMs = -Infinity
  /** When an agent other than the latest one called last. */
  #othersAtMs = -Infinity

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Counts a call that has ended. */
  record({ agent, ancestors, decision, outcome }: Readonly<CallEvent>): void {
    if (agent === undefined) return
    // Calls of a handle count for its root, so that minting handles does not evade the wait.
    const root = ancestors?.at(-1) ?? agent
    const now = this.#now()
    if (root !== this.#latest) {
      this.#othersAtMs = this.#latestAtMs
      this.#latest = root
    }
    this.#latestAtMs = now
    const known = this.#failures.get(root)
    if (decision === 'ALLOW') {
      if (known) known.count -= 1
      return
    }
    if (OF_SERVERS.has(outcome)) return
    if (known) {
      known.count = Math.max(0, countAt(known, now)) + 1
      known.countedAtMs = now
      return
    }
    if (this.#failures.size >= MAX_AGENTS) this.#forgetOld(now)
    this.#failures.set(root, { count: 1, countedAtMs: now })
  }

  /** How long the next call of an agent waits before it starts. */
  waitMs(root: string): number {
    const known = this.#failures.get(root)
    if (!known) return 0
    const now = this.#now()
    const over = countAt(known, now) - FREE
    if (over <= 0 || !this.#othersCall(root, now)) return 0
    return Math.min(over * WAIT_MS, MAX_WAIT_MS)
  }

  #othersCall(root: string, now: number): boolean {
    const atMs = root === this.#latest ? this.#othersAtMs : this.#latestAtMs
    return atMs > now - IN_USE_MS
  }

  #forgetOld(now: number): void {
    for (const [agent, known] of this.#failures)
      if (countAt(known, now) <= FREE) this.#failures.delete(agent)
  }
}

function countAt({ count, countedAtMs }: Failures, now: number): number {
  return count - ((now - countedAtMs) * FREE_PER_SECOND) / 1_000
}
