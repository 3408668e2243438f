import type { Client } from '../../gateway/call.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { ERAS, type EraName } from '../../protocol/eras/eras.ts'
import { type UpstreamStatus, firstStatus } from '../../gateway/upstream.ts'
import type { Link } from '../link.ts'
import { Connection } from './connection.ts'
import { type Line, REMOVED } from './line.ts'
import { type Scope, isCommon } from './scopes.ts'
import { WaitingCalls } from './waiting-calls.ts'

export interface ConnectionsOptions {
  readonly server: string
  /** The most connections besides the shared one. */
  readonly max: number
  /** How long a call waits while all connections are busy. */
  readonly waitMs: number
  /** How long a connection that belongs to no session stays open without a call. */
  readonly idleMs: number
  /** Whether a client watches resources on a connection: it is kept for as long as there is room. */
  isWatched?(key: string): boolean
  /** Creates the line of a connection, for `owner` or for no client in particular. */
  open(scope: Scope, owner: Client | undefined, key: string): Line
}

/**
 * The connections of one server: a shared one, a second shared one if the server speaks both eras
 * and has clients of both, and a limited number that belong to one session, agent or call. At the
 * limit, the connection that has been idle for longest is closed.
 */
export class Connections {
  readonly #options: ConnectionsOptions
  readonly #separate = new Map<string, Connection>()
  /** In the order they were opened. */
  #shared: Connection[] = []
  readonly #waiting: WaitingCalls
  #events = 0

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#waiting = new WaitingCalls(options)
  }

  get #all(): Connection[] {
    return [...this.#shared, ...this.#separate.values()]
  }

  /** All lines, the shared ones first. */
  get lines(): Line[] {
    return this.#all.map(({ line }) => line)
  }

  /** The state of the server by those of its connections: one that is up is enough. */
  get status(): UpstreamStatus {
    const states = this.lines.map((line) => line.status)
    const status = firstStatus(states)
    if (status.state !== 'ready' && status.state !== 'down') return status
    const sessionsLost = Math.max(...this.lines.map((line) => line.sessionsLost))
    return sessionsLost > 0 ? { ...status, sessionsLost } : status
  }

  /** The shared one that was opened first: listings and changes come from it. */
  get shared(): Line | undefined {
    return this.#shared[0]?.line
  }

  /** Opens a shared connection in an era; its line shows whether the server speaks that era. */
  tryShared(era: EraName): Line {
    return this.#sharedOf(era).line
  }

  /** Ends the shared connection with this line: there is another one for its era. */
  endShared(line: Line): void {
    this.#shared = this.#shared.filter((one) => one.line !== line)
    void line.close()
  }

  /** Takes a connection for one call: at once if one is available, otherwise in turn. */
  take(scope: Scope, client: Client, signal: Signal): Connection | Promise<Connection> {
    const connection = this.#obtain(scope, client)
    if (!connection) return this.#waiting.add(scope, client, signal)
    connection.calls += 1
    return connection
  }

  /** Takes the connection of a task for one call; undefined if the connection has ended. */
  takeAgain(key: string): Connection | undefined {
    const shared = this.#shared.find((one) => one.key === key)
    const connection = shared ?? this.#separate.get(key)
    if (connection) connection.calls += 1
    return connection
  }

  /** Gives a connection back when its call has ended. */
  leave(connection: Connection): void {
    connection.calls -= 1
    connection.usedAt = ++this.#events
    if (connection.calls > 0) return
    if (connection.scope.kind === 'fresh' || connection.orphaned) this.#endUnlessKept(connection)
    else connection.idle()
    this.#admit()
  }

  /** Returns the connection to list the server on for all clients: opened for `scope` if needed. */
  common(scope: Scope | undefined, client: Client | undefined, era: EraName): Line {
    const wanted = scope && client && isCommon(scope, client) && this.#obtain(scope, client)
    const open = this.#all.find((one) => one.isCommon)
    return (wanted || open || this.#sharedOf(era)).line
  }

  /** Returns the connection with this key, if it is up. */
  liveOf(key: string | undefined): Link | undefined {
    return key === undefined ? undefined : this.#separate.get(key)?.line.live
  }

  /** Returns the connection on which a client watches resources: its own, else the shared one. */
  standing(scope: Scope | undefined, client: Client, era: EraName): Connection {
    return (scope?.kind === 'own' && this.#obtain(scope, client)) || this.#sharedOf(era)
  }

  /** Sends a notification that only the legacy era has, on the connections of a session. */
  notify(session: string, method: string): void {
    for (const connection of this.#separate.values()) {
      const { live } = connection.line
      if (connection.isOf(session) && live && ERAS[live.era].hasSession) live.notify(method, {})
    }
  }

  /** Ends the connections of a session, all or only the idle ones, and returns their keys. */
  release(session: string, which: 'all' | 'idle'): string[] {
    const ended: string[] = []
    for (const connection of this.#separate.values()) {
      const { calls, key } = connection
      const isIdle = calls === 0 && !this.#isWatched(key)
      if (!connection.isOf(session) || (which === 'idle' && !isIdle)) continue
      connection.orphaned ||= which === 'all'
      if (connection.held === 0 && this.#endUnlessKept(connection)) ended.push(key)
    }
    this.#admit()
    return ended
  }

  /** Ends the connections that are not up yet. */
  endStarting(): void {
    for (const line of this.lines) if (line.status.state === 'starting') void line.close()
  }

  /** Ends all connections and refuses the calls that wait for one; later calls open new ones. */
  async close(): Promise<void> {
    this.#waiting.refuseAll(new Error(REMOVED))
    const all = this.#all
    this.#separate.clear()
    this.#shared = []
    await Promise.all(all.map(async (connection) => connection.close()))
  }

  #obtain(scope: Scope, client: Client): Connection | undefined {
    if (scope.kind === 'shared') return this.#sharedOf(scope.era)
    const known = scope.kind === 'own' ? this.#separate.get(scope.key) : this.#free(scope)
    if (known) return known
    if (this.#separate.size >= this.#options.max && !this.#makeRoom()) return undefined
    return scope.kind === 'own'
      ? this.#openSeparate(scope.key, scope, client)
      : this.#openSeparate(`${scope.kind} ${++this.#events}`, scope, undefined)
  }

  #sharedOf(era: EraName): Connection {
    const known = this.#shared.find((one) => one.era === era)
    if (known) return known
    const key = this.#shared.length === 0 ? '' : `shared ${++this.#events}`
    const opened = this.#open(key, { kind: 'shared', era }, undefined)
    this.#shared.push(opened)
    return opened
  }

  #openSeparate(key: string, scope: Scope, owner: Client | undefined): Connection {
    const connection = this.#open(key, scope, owner)
    this.#separate.set(key, connection)
    return connection
  }

  #open(key: string, scope: Scope, owner: Client | undefined): Connection {
    const connection: Connection = new Connection({
      line: this.#options.open(scope, owner, key),
      scope,
      key,
      owner,
      usedAt: ++this.#events,
      idleMs: this.#options.idleMs,
      expired: () => this.#endUnlessKept(connection),
    })
    return connection
  }

  /**
   * Returns the shared connection while no call uses it, because subscriptions of clients without a
   * session are there; else the leased connection that is up and was used last, so that the others
   * become idle and end.
   */
  #free({ kind, era }: Scope): Connection | undefined {
    if (kind !== 'leased') return undefined
    const shared = this.#shared.find((one) => one.era === era)
    if (shared?.calls === 0) return shared
    let best: Connection | undefined
    for (const one of this.#separate.values())
      if (one.scope.kind === kind && one.era === era && one.calls === 0)
        if (!best || isBetter(one, best)) best = one
    return best
  }

  #makeRoom(): boolean {
    const idle = [...this.#separate.values()].filter((one) => one.calls === 0 && one.keptMs === 0)
    const unwatched = idle.filter(({ key }) => !this.#isWatched(key))
    const [oldest] = (unwatched.length > 0 ? unwatched : idle).toSorted(
      (one, other) => one.usedAt - other.usedAt,
    )
    if (oldest) this.#end(oldest)
    return oldest !== undefined
  }

  #isWatched(key: string): boolean {
    return this.#options.isWatched?.(key) ?? false
  }

  /** Returns whether it has ended; otherwise it ends when its last task is over. */
  #endUnlessKept(connection: Connection): boolean {
    const isOver = connection.keptMs === 0
    if (isOver) this.#end(connection)
    else connection.expireLater()
    return isOver
  }

  #end(connection: Connection): void {
    if (this.#separate.get(connection.key) === connection) this.#separate.delete(connection.key)
    void connection.close()
  }

  #admit(): void {
    this.#waiting.admit((scope, client) => {
      const connection = this.#obtain(scope, client)
      if (connection) connection.calls += 1
      return connection
    })
  }
}

function isBetter(one: Connection, other: Connection): boolean {
  const isUp = one.line.live !== undefined
  return isUp === (other.line.live !== undefined) ? one.usedAt > other.usedAt : isUp
}
