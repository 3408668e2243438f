import type { Signal } from '../../base/flow/signal.ts'

export interface SlotLimits {
  /** The most calls that run at the same time. */
  readonly total: number
  /** The most of them that one agent may have. */
  readonly perAgent: number
}

/** The slots of one upstream: how many calls it gets at once, and who goes next. */
export interface Slots {
  /** Takes a free slot and returns undefined, or returns a promise of one. Latest limits apply. */
  enter(agent: string, signal: Signal, limits: SlotLimits): Promise<void> | undefined
  /**
   * Frees the slot of an answered call, with a result of this many characters. While others use the
   * server, an agent whose newest result was large has one call at a time, and waits in between: a
   * server sends one answer after the other, and a small one would wait behind all the large ones.
   */
  leave(agent: string, size?: number): void
  /**
   * The caller has gone, but the server may still work on the call: it keeps its slot until
   * `ended`. Its agent may then have half as many at once, down to one, and one more for each
   * answered call; else calls with tiny timeouts would fill the queue of a server that works one by
   * one. While others use the server, an agent that abandons one call after the other has to wait
   * in between, longer each time: the work it causes helps nobody and delays the others.
   */
  abandon(agent: string, ended: Promise<void>): void
  /**
   * Lets others use a slot whose call waits for its client. Returns false if as many as there are
   * slots are already lent, since every such call may keep its own connection. The call still
   * counts for its own agent.
   */
  lend(): boolean
  /** Takes a lent slot back, even over the limit: the server already runs the call. */
  takeBack(): void
  readonly busy: number
  readonly waiting: number
}

interface Waiter {
  readonly admit: () => void
}

interface Holder {
  active: number
  /** Its own limit, besides that of every agent. */
  most: number
  /** When it was last served; among equals, the agent served longest ago comes first. */
  servedAt: number
  /** How often in a row its calls were abandoned; those abandoned together count once. */
  abandoned: number
  countedAtMs: number
  /** Until when it has to wait while others use the server. */
  restsUntilMs: number
  lastCallAtMs: number
  /** Whether its newest result was large. */
  large: boolean
  readonly waiting: Waiter[]
}

/** A result this large takes some milliseconds of the server, of the pipe and of us. */
const LARGE_CHARS = 64 * 1024
/** The most that one agent gets in large results while others use the server. */
const CHARS_PER_MS = 16_000

const MAX_REST_MS = 10_000
/** A timer may come this much early, and would then admit nobody. */
const TIMER_EARLY_MS = 1
/** An agent that has called within this time uses the server. */
const IN_USE_MS = 10_000

/** Past this many agents, those that neither hold nor want a slot are dropped. */
const MAX_HOLDERS = 1_000

/**
 * Gives a freed slot to the waiting agent that holds the fewest, and among equals to the one that
 * has waited longest since its last turn: many slow calls of one agent hold up another by at most
 * one slot's turn.
 *
 * No Map or Set here gains and loses an entry per call: V8 keeps the outgrown tables of an old Map
 * linked to the new ones, and with them every call they held, until the next full collection.
 */
export function createSlots(): Slots {
  const holders = new Map<string, Holder>()
  let limits: SlotLimits = { total: Infinity, perAgent: Infinity }
  let busy = 0
  let lent = 0
  let waiting = 0
  let clock = 0

  function holderOf(agent: string): Holder {
    let holder = holders.get(agent)
    if (holder !== undefined) return holder
    if (holders.size >= MAX_HOLDERS) forgetIdle()
    holder = {
      active: 0,
      most: Infinity,
      servedAt: 0,
      abandoned: 0,
      countedAtMs: -Infinity,
      restsUntilMs: -Infinity,
      lastCallAtMs: -Infinity,
      large: false,
      waiting: [],
    }
    holders.set(agent, holder)
    return holder
  }

  function forgetIdle(): void {
    for (const [agent, holder] of holders)
      if (holder.active === 0 && holder.waiting.length === 0) holders.delete(agent)
  }

  async function wait(holder: Holder, signal: Signal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        holder.waiting.splice(holder.waiting.indexOf(waiter), 1)
        waiting--
        reject(signal.reason)
      }
      const waiter = {
        admit() {
          signal.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      holder.waiting.push(waiter)
      waiting++
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  function take(holder: Holder): void {
    holder.active++
    holder.servedAt = ++clock
    holder.lastCallAtMs = performance.now()
    busy++
  }

  function release(holder: Holder): void {
    holder.active--
    busy--
    admitWaiting()
  }

  async function releaseAfter(ended: Promise<void>, holder: Holder): Promise<void> {
    const leftAtMs = performance.now()
    await ended
    rest(holder, leftAtMs)
    release(holder)
  }

  function mayHaveMore(holder: Holder): boolean {
    if (holder.active >= Math.min(holder.most, limits.perAgent)) return false
    const now = performance.now()
    const rests = holder.restsUntilMs - now >= TIMER_EARLY_MS
    const mustWait = rests || (holder.large && holder.active > 0)
    return !mustWait || !othersUse(holder, now)
  }

  function othersUse(holder: Holder, now: number): boolean {
    for (const other of holders.values())
      if (other !== holder && other.lastCallAtMs > now - IN_USE_MS) return true
    return false
  }

  /** Makes an agent wait 0, 0, 1, 3, 7 … times as long as its server worked for nobody. */
  function rest(holder: Holder, leftAtMs: number): void {
    const now = performance.now()
    if (leftAtMs >= holder.countedAtMs) {
      holder.abandoned++
      holder.countedAtMs = now
    }
    const times = Math.max(0, 2 ** (holder.abandoned - 2) - 1)
    restFor(holder, times * (now - leftAtMs))
  }

  function restFor(holder: Holder, ms: number): void {
    const restMs = Math.min(ms, MAX_REST_MS)
    holder.restsUntilMs = Math.max(holder.restsUntilMs, performance.now() + restMs)
    if (restMs > 0) setTimeout(admitWaiting, Math.ceil(restMs)).unref()
  }

  function admitNext(): boolean {
    let chosen: Holder | undefined
    for (const holder of holders.values())
      if (holder.waiting.length > 0 && mayHaveMore(holder))
        if (chosen === undefined || isBefore(holder, chosen)) chosen = holder
    const waiter = chosen?.waiting.shift()
    if (chosen === undefined || waiter === undefined) return false
    take(chosen)
    waiting--
    waiter.admit()
    return true
  }

  function admitWaiting(): void {
    while (waiting > 0 && busy < limits.total && admitNext());
  }

  return {
    enter(agent, signal, latest): Promise<void> | undefined {
      if (signal.aborted) throw signal.reason
      limits = latest
      const holder = holderOf(agent)
      if (busy >= limits.total || !mayHaveMore(holder)) return wait(holder, signal)
      take(holder)
      return undefined
    },
    leave(agent, size = 0) {
      const holder = holderOf(agent)
      holder.large = size > LARGE_CHARS
      if (holder.large) restFor(holder, size / CHARS_PER_MS)
      holder.most++
      if (holder.abandoned > 0) holder.abandoned--
      release(holder)
    },
    abandon(agent, ended) {
      const holder = holderOf(agent)
      holder.most = Math.max(1, Math.floor(Math.min(holder.most, limits.perAgent) / 2))
      void releaseAfter(ended, holder)
    },
    lend() {
      if (lent >= limits.total) return false
      lent++
      busy--
      admitWaiting()
      return true
    },
    takeBack() {
      lent--
      busy++
    },
    get busy() {
      return busy
    },
    get waiting() {
      return waiting
    },
  }
}

function isBefore(one: Holder, other: Holder): boolean {
  return one.active === other.active ? one.servedAt < other.servedAt : one.active < other.active
}
