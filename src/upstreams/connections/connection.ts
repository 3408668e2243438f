import type { Client } from '../../gateway/call.ts'
import type { EraName } from '../../protocol/eras/eras.ts'
import type { Line } from './line.ts'
import { type Scope, isCommon } from './scopes.ts'

/** The longest time a task keeps a connection open after the last request about it. */
const MAX_KEPT_MS = 3_600_000

export interface ConnectionParts {
  readonly line: Line
  readonly scope: Scope
  readonly key: string
  readonly owner: Client | undefined
  /** When it was opened, by the counter of events. */
  readonly usedAt: number
  readonly idleMs: number
  /** Called when it has been idle for long, or its last task is over. */
  readonly expired: () => void
}

/** One connection to a server, and what keeps it open. */
export class Connection {
  readonly line: Line
  readonly scope: Scope
  readonly key: string
  /** Whether its listing is that of all clients. */
  readonly isCommon: boolean
  /** The number of calls that use it or wait for it to come up. */
  calls = 0
  /** When the last call left it, by a counter of events. */
  usedAt: number
  /** The number of calls on it that may outlive their session. */
  held = 0
  /** Whether its session has ended and only its tasks keep it open. */
  orphaned = false
  /** Tasks that the server may know only on this connection, and until when each keeps it open. */
  readonly #tasks = new Map<string, number>()
  readonly #idle: NodeJS.Timeout | undefined
  readonly #expired: () => void
  /** The timer that ends it when its last task is over. */
  #later: NodeJS.Timeout | undefined

  constructor({ line, scope, key, owner, usedAt, idleMs, expired }: ConnectionParts) {
    this.line = line
    this.scope = scope
    this.key = key
    this.isCommon = isCommon(scope, owner)
    this.usedAt = usedAt
    this.#expired = () => {
      if (this.calls === 0) expired()
    }
    // A client without a session does not say that it has gone; its connection ends when it is idle.
    const endsWhenIdle = scope.kind === 'leased' || (scope.kind === 'own' && scope.session === '')
    this.#idle = endsWhenIdle ? setTimeout(this.#expired, idleMs).unref() : undefined
  }

  /** The era it has, or will try first. */
  get era(): EraName {
    return this.line.era ?? this.scope.era
  }

  isOf(session: string): boolean {
    return this.scope.kind === 'own' && this.scope.session === session
  }

  /** Called when the last call has left it. */
  idle(): void {
    this.#idle?.refresh()
  }

  /** Keeps it open for a task that was created on it; a shared one stays anyway. */
  keepFor(task: string, ms: number): void {
    if (this.scope.kind === 'shared') return
    const now = Date.now()
    for (const [known, until] of this.#tasks) if (until < now) this.#tasks.delete(known)
    this.#tasks.set(task, now + Math.min(ms, MAX_KEPT_MS))
  }

  /** Forgets a task that has ended and whose result was fetched. */
  forgetTask(task: string): void {
    this.#tasks.delete(task)
  }

  /** How long tasks still need it. */
  get keptMs(): number {
    return this.#tasks.size === 0 ? 0 : Math.max(0, Math.max(...this.#tasks.values()) - Date.now())
  }

  /** Lets it expire when its last task is over. */
  expireLater(): void {
    clearTimeout(this.#later)
    this.#later = setTimeout(this.#expired, this.keptMs).unref()
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    clearTimeout(this.#later)
    await this.line.close()
  }
}
