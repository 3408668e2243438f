import type { Signal } from '../base/signal.ts'

/** The slots of one upstream: how many calls it gets at once, and who goes next. */
export interface Lane {
  /** Takes a slot: `undefined` when one was free, else a promise of one. */
  enter(agent: string, signal: Signal): Promise<void> | undefined
  leave(agent: string): void
  /**
   * Lets others use a slot whose call waits for its client; false when as many as there are slots
   * are lent already, since every such call may keep a connection of its own. To its own agent the
   * call counts as before.
   */
  lend(): boolean
  /** The client has answered. The server has the call already, so it goes on, over the limit if need be. */
  takeBack(): void
  readonly busy: number
  readonly waiting: number
}

interface Waiter {
  readonly admit: () => void
}

interface Party {
  active: number
  /** When it was last served: among equals, whoever was served last comes last. */
  servedAt: number
  readonly waiting: Waiter[]
}

/** Agents that neither hold nor want a slot are forgotten once there are this many. */
const MOST_PARTIES = 1_000

/**
 * Gives a freed slot to the waiting agent that holds the fewest, and among equals to the one that
 * has waited longest since its last turn: many slow calls of one agent hold up another by at most
 * one slot's turn. No agent gets more than `ofOneAgent`. Limits are asked for each time, so that a
 * reload can change them.
 *
 * No Map or Set here gains and loses an entry per call: V8 keeps the outgrown tables of an old Map
 * linked to the new ones, and with them every call they held, until the next full collection.
 */
export function createLane(limit: () => number, ofOneAgent: () => number): Lane {
  const parties = new Map<string, Party>()
  let busy = 0
  let lent = 0
  let waiting = 0
  let clock = 0

  function partyOf(agent: string): Party {
    let party = parties.get(agent)
    if (party !== undefined) return party
    if (parties.size >= MOST_PARTIES) forgetIdle()
    party = { active: 0, servedAt: 0, waiting: [] }
    parties.set(agent, party)
    return party
  }

  function forgetIdle(): void {
    for (const [agent, party] of parties)
      if (party.active === 0 && party.waiting.length === 0) parties.delete(agent)
  }

  async function wait(party: Party, signal: Signal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        party.waiting.splice(party.waiting.indexOf(waiter), 1)
        waiting--
        reject(signal.reason)
      }
      const waiter = {
        admit() {
          signal.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      party.waiting.push(waiter)
      waiting++
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  function take(party: Party): void {
    party.active++
    party.servedAt = ++clock
    busy++
  }

  function admitNext(): boolean {
    let chosen: Party | undefined
    const most = ofOneAgent()
    for (const party of parties.values())
      if (party.waiting.length > 0 && party.active < most)
        if (chosen === undefined || isBefore(party, chosen)) chosen = party
    const waiter = chosen?.waiting.shift()
    if (chosen === undefined || waiter === undefined) return false
    take(chosen)
    waiting--
    waiter.admit()
    return true
  }

  function admitWaiting(): void {
    while (waiting > 0 && busy < limit() && admitNext());
  }

  return {
    enter(agent, signal): Promise<void> | undefined {
      if (signal.aborted) throw signal.reason
      const party = partyOf(agent)
      if (busy >= limit() || party.active >= ofOneAgent()) return wait(party, signal)
      take(party)
      return undefined
    },
    leave(agent) {
      partyOf(agent).active--
      busy--
      admitWaiting()
    },
    lend() {
      if (lent >= limit()) return false
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

function isBefore(one: Party, other: Party): boolean {
  return one.active === other.active ? one.servedAt < other.servedAt : one.active < other.active
}
