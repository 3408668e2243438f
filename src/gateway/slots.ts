import type { Signal } from '../protocol/signal.ts'
/** The slots of one upstream: how many calls it gets at once, and who goes next. */
export interface Lane {
  /** Takes a slot: `undefined` when one was free, else a promise of one. */
  enter(agent: string, signal: Signal): Promise<void> | undefined
  leave(agent: string): void
  readonly busy: number
  readonly waiting: number
}

interface Waiter {
  readonly admit: () => void
}

interface Party {
  active: number
  readonly waiting: Set<Waiter>
}

/**
 * Gives a freed slot to the waiting agent that holds the fewest, and among equals to the one that
 * has waited longest since its last turn: many slow calls of one agent hold up another by at most
 * one slot's turn. The limit is asked for each time, so that a reload can change it.
 */
export function createLane(limit: () => number): Lane {
  const parties = new Map<string, Party>()
  let busy = 0
  let waiting = 0

  function partyOf(agent: string): Party {
    let party = parties.get(agent)
    if (party === undefined) parties.set(agent, (party = { active: 0, waiting: new Set() }))
    return party
  }

  async function wait(agent: string, party: Party, signal: Signal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        party.waiting.delete(waiter)
        waiting--
        signal.removeEventListener('abort', giveUp)
      }
      const waiter = {
        admit() {
          settle()
          resolve()
        },
      }
      const giveUp = () => {
        settle()
        forget(agent, party)
        reject(signal.reason)
      }
      party.waiting.add(waiter)
      waiting++
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  function forget(agent: string, party: Party): void {
    if (party.active === 0 && party.waiting.size === 0) parties.delete(agent)
  }

  function admitNext(): boolean {
    let chosen: Party | undefined
    for (const party of parties.values()) {
      if (party.waiting.size > 0 && party.active < (chosen?.active ?? Infinity)) chosen = party
    }
    if (chosen === undefined) return false
    const [first] = chosen.waiting
    chosen.active++
    busy++
    first?.admit()
    return true
  }

  return {
    enter(agent, signal): Promise<void> | undefined {
      if (signal.aborted) throw signal.reason
      const party = partyOf(agent)
      if (busy >= limit()) return wait(agent, party, signal)
      party.active++
      busy++
      return undefined
    },
    leave(agent) {
      const party = partyOf(agent)
      party.active--
      busy--
      // To the end of the order: whoever was served last comes last among equals.
      if (waiting > 0) parties.delete(agent)
      if (party.active > 0 || party.waiting.size > 0) parties.set(agent, party)
      else parties.delete(agent)
      let free = waiting > 0 ? limit() - busy : 0
      while (free-- > 0 && admitNext());
    },
    get busy() {
      return busy
    },
    get waiting() {
      return waiting
    },
  }
}
