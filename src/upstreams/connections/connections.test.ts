import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { Canceller } from '../../base/flow/signal.ts'
import type { Connection } from './connection.ts'
import { Connections, type ConnectionsOptions } from './connections.ts'
import { Line } from './line.ts'
import type { Scope } from './scopes.ts'

const era = 'legacy'
const SHARED: Scope = { kind: 'shared', era }
const LEASED: Scope = { kind: 'leased', era }
const FRESH: Scope = { kind: 'fresh', era }
const own = (session: string, key = session): Scope => ({ kind: 'own', era, key, session })

/** Connections whose lines never open: who gets which is all that matters here. */
function someConnections(options: Partial<ConnectionsOptions> = {}) {
  const opened: Scope[] = []
  const connections = new Connections({
    server: 'one',
    max: 2,
    waitMs: 60_000,
    idleMs: 60_000,
    open(scope) {
      opened.push(scope)
      return new Line({
        connect: async () => Promise.reject(new Error('not part of this test')),
        connectMs: 1000,
        backoffMs: { min: 1, max: 1 },
        up: () => undefined,
        down: () => undefined,
      })
    },
    ...options,
  })
  const take = (scope: Scope, signal = new Canceller()): Connection | Promise<Connection> =>
    connections.take(scope, aClient(), signal)
  const taken = (scope: Scope): Connection => {
    const connection = take(scope)
    if (connection instanceof Promise) throw new Error('it has to wait')
    return connection
  }
  /** Takes one and leaves it again. */
  const use = (scope: Scope): Connection => {
    const connection = taken(scope)
    connections.leave(connection)
    return connection
  }
  return { connections, opened, take, taken, use }
}

const ended = ({ line }: Connection) => line.status.state === 'closed'

describe('Connections', () => {
  it('refuses the calls that wait when it is closed, and opens nothing for them', async () => {
    const { connections, opened, take, taken } = someConnections()
    const busy = [taken(own('a')), taken(own('b'))]
    const waiting = take(own('c'))
    await Promise.all([connections.close(), expect(waiting).rejects.toThrow('removed')])
    for (const connection of busy) connections.leave(connection)
    expect(opened).toHaveLength(2)
  })

  it('gives a session its own again, and everybody the same shared one', () => {
    const { use, opened } = someConnections()
    expect(use(own('a'))).toBe(use(own('a')))
    expect(use(own('b'))).not.toBe(use(own('a')))
    expect(use(SHARED)).toBe(use(SHARED))
    expect(opened).toHaveLength(3)
  })

  it('has a shared one for each era that its clients speak', () => {
    const { use, connections } = someConnections()
    const [legacy, modern] = [use(SHARED), use({ kind: 'shared', era: 'modern' })]
    expect(modern).not.toBe(legacy)
    expect(use(SHARED)).toBe(legacy)
    expect(use({ kind: 'leased', era: 'modern' })).toBe(modern)
    expect(connections.shared).toBe(legacy.line)
    connections.endShared(modern.line)
    expect(ended(modern)).toBe(true)
    expect(use({ kind: 'shared', era: 'modern' })).not.toBe(modern)
    expect(use(SHARED)).toBe(legacy)
  })

  it('ends the one that has been idle for longest when there are too many', () => {
    const { use, connections } = someConnections()
    const [shared, a, b] = [use(SHARED), use(own('a')), use(own('b'))]
    use(own('a'))
    use(own('c'))
    expect([shared, a, b].map(ended)).toEqual([false, false, true])
    expect(connections.lines).toHaveLength(3)
  })

  it('never ends one that is in use: a call waits for its turn', async () => {
    const { taken, take, connections } = someConnections()
    const [a, b] = [taken(own('a')), taken(own('b'))]
    const waiting = [take(own('c')), take(own('d'))]
    expect(waiting.every((one) => one instanceof Promise)).toBe(true)
    connections.leave(b)
    const c = await waiting[0]
    expect([a, b].map(ended)).toEqual([false, true])
    expect(c?.scope).toEqual(own('c'))
    connections.leave(a)
    expect((await waiting[1])?.scope).toEqual(own('d'))
    expect(connections.lines).toHaveLength(2)
  })

  it('refuses a call that waited too long, and says what to change', async () => {
    const { taken, take, connections } = someConnections({ max: 1, waitMs: 20 })
    const busy = taken(own('a'))
    await expect(take(own('b'))).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      details: { hint: expect.stringContaining('max_connections') },
    })
    connections.leave(busy)
    expect(ended(busy)).toBe(false)
  })

  it('forgets a waiting call that was cancelled', async () => {
    const { taken, take, connections } = someConnections({ max: 1 })
    const busy = taken(own('a'))
    const canceller = new Canceller()
    const waiting = take(own('b'), canceller)
    canceller.abort(new Error('the client left'))
    await expect(waiting).rejects.toThrow('the client left')
    connections.leave(busy)
    expect(ended(busy)).toBe(false)
  })

  it('does not let a call wait that is already cancelled', async () => {
    const { taken, take } = someConnections({ max: 1 })
    taken(own('a'))
    const canceller = new Canceller()
    canceller.abort(new Error('the client left'))
    await expect(take(own('b'), canceller)).rejects.toThrow('the client left')
  })

  it('leases one that no other call uses, and the same again afterwards', () => {
    const { taken, use, connections, opened } = someConnections()
    const [one, two] = [taken(LEASED), taken(LEASED)]
    expect(one).not.toBe(two)
    connections.leave(one)
    expect(use(LEASED)).toBe(one)
    expect(use(LEASED)).toBe(one)
    expect(opened).toHaveLength(2)
  })

  it('leases the shared one while no call uses it', () => {
    const { taken, use } = someConnections()
    const shared = use(SHARED)
    expect(taken(LEASED)).toBe(shared)
    expect(taken(LEASED)).not.toBe(shared)
  })

  it('ends a leased one after a while without a call, and no other', async () => {
    const { taken, use, connections } = someConnections({ max: 9, idleMs: 30 })
    const [busy, idle] = [taken(LEASED), use(LEASED)]
    const [agents, sessions] = [use(own('', ' ada')), use(own('a'))]
    await expect.poll(() => [idle, agents].map(ended)).toEqual([true, true])
    expect([busy, sessions].map(ended)).toEqual([false, false])
    connections.leave(busy)
    await expect.poll(() => ended(busy)).toBe(true)
  })

  it('opens one for each call where it ends with the call', () => {
    const { taken, use } = someConnections()
    const first = use(FRESH)
    expect(ended(first)).toBe(true)
    expect(ended(taken(FRESH))).toBe(false)
  })

  it('ends all of a session that ended, but only idle ones of a client that has gone', async () => {
    const { taken, use, connections } = someConnections({ max: 9 })
    const [busy, idle, other] = [taken(own('a', 'a ada')), use(own('a', 'a bob')), use(own('b'))]
    connections.release('a', 'idle')
    expect([busy, idle, other].map(ended)).toEqual([false, true, false])
    connections.release('a', 'all')
    await sleep(0)
    expect([busy, other].map(ended)).toEqual([true, false])
    expect(use(own('a', 'a ada'))).not.toBe(busy)
  })
})

describe('a connection with tasks', () => {
  it('outlives its session until they are over, and no others do', () => {
    const { connections, use } = someConnections()
    const [kept, other] = [use(own('a')), use(own('b'))]
    kept.keepFor('task-1', 60_000)
    connections.release('a', 'all')
    connections.release('b', 'all')
    expect([ended(kept), ended(other)]).toEqual([false, true])
    expect(connections.takeAgain('a')).toBe(kept)
    kept.forgetTask('task-1')
    connections.leave(kept)
    expect(ended(kept)).toBe(true)
    expect(connections.takeAgain('a')).toBeUndefined()
  })

  it('ends by itself once their time is over', async () => {
    const { connections, use } = someConnections()
    const kept = use(own('a'))
    kept.keepFor('task-1', 20)
    connections.release('a', 'all')
    expect(ended(kept)).toBe(false)
    await expect.poll(() => ended(kept), { timeout: 10_000 }).toBe(true)
  })

  it('stays while a call that outlives its session runs on it', () => {
    const { connections, taken } = someConnections()
    const held = taken(own('a'))
    held.held += 1
    connections.release('a', 'all')
    expect(ended(held)).toBe(false)
    held.held -= 1
    connections.leave(held)
    expect(ended(held)).toBe(true)
  })

  it('does not make room for others', () => {
    const { taken, use } = someConnections({ max: 2 })
    const [kept, idle] = [use(own('a')), use(own('b'))]
    kept.keepFor('task-1', 60_000)
    taken(own('c'))
    expect([ended(kept), ended(idle)]).toEqual([false, true])
  })
})

const MODERN: Scope = { kind: 'shared', era: 'modern' }

describe('what is no call', () => {
  it('lists on the shared connection, or on that of the only client', () => {
    const { connections, use, opened } = someConnections()
    use(own('a'))
    const first = connections.common(undefined, undefined, 'modern')
    expect(opened).toEqual([own('a'), MODERN])
    expect(connections.common(undefined, aClient(), 'legacy'), 'any era').toBe(first)
    expect(connections.common(own('a'), aClient(), 'legacy'), 'one of several clients').toBe(first)
    expect(opened).toHaveLength(2)
    const alone = connections.common(own('b'), aClient({ alone: true }), 'legacy')
    expect(opened).toEqual([own('a'), MODERN, own('b')])
    expect(connections.common(own('b'), aClient({ alone: true }), 'legacy')).toBe(alone)
  })

  it('watches on the connection of a session, else on the shared one of its era', () => {
    const { connections, use } = someConnections()
    const client = aClient()
    const [shared, a] = [use(SHARED), use(own('a'))]
    expect(connections.standing(own('a'), client, era)).toBe(a)
    expect(connections.standing(LEASED, client, era)).toBe(shared)
    expect(connections.standing(undefined, client, era)).toBe(shared)
    expect(connections.standing(undefined, client, 'modern')).not.toBe(shared)
  })
})

describe('a connection on which somebody watches', () => {
  it('makes room last, and is not ended for a client that seems to have gone', () => {
    const watched = new Set(['a'])
    const { connections, use } = someConnections({ isWatched: (key) => watched.has(key) })
    const [a, b] = [use(own('a')), use(own('b'))]
    use(own('c'))
    expect([ended(a), ended(b)]).toEqual([false, true])
    watched.add('c')
    use(own('d'))
    expect(ended(a), 'where all are watched, the oldest').toBe(true)
    expect(connections.release('c', 'idle')).toEqual([])
    watched.delete('c')
    expect(connections.release('c', 'idle')).toEqual(['c'])
  })
})

describe('leased connections', () => {
  it('are those of the era that is asked for, and the one used last', () => {
    const { taken, connections, opened } = someConnections({ max: 9 })
    const modern = taken({ kind: 'leased', era: 'modern' })
    const [one, two] = [taken(LEASED), taken(LEASED)]
    for (const connection of [modern, two, one]) connections.leave(connection)
    expect(taken(LEASED)).toBe(one)
    expect(taken(LEASED)).toBe(two)
    expect(taken({ kind: 'leased', era: 'modern' })).toBe(modern)
    expect(opened).toHaveLength(3)
  })

  it('are no connections of sessions, nor those that end with a call', () => {
    const { taken, use } = someConnections({ max: 9 })
    const [session, fresh] = [use(own('a')), taken(FRESH)]
    expect([session, fresh]).not.toContain(taken(LEASED))
  })
})

describe('the calls on a connection', () => {
  it('are counted with those of its tasks', () => {
    const { connections, taken } = someConnections()
    const a = taken(own('a'))
    expect(connections.takeAgain('a')).toBe(a)
    expect(a.calls).toBe(2)
    connections.leave(a)
    expect(connections.release('a', 'idle'), 'a call is left').toEqual([])
    connections.leave(a)
    expect(connections.release('a', 'idle')).toEqual(['a'])
  })

  it('of tasks on the shared one find it again', () => {
    const { connections, use } = someConnections()
    const [legacy, modern] = [use(SHARED), use(MODERN)]
    expect(connections.takeAgain(legacy.key)).toBe(legacy)
    expect(connections.takeAgain(modern.key)).toBe(modern)
    expect(legacy.key).not.toBe(modern.key)
  })

  it('that waited are counted once they are admitted', async () => {
    const { connections, taken, take } = someConnections({ max: 1 })
    const a = taken(own('a'))
    const waiting = take(own('b'))
    connections.leave(a)
    const b = await waiting
    expect(b.calls).toBe(1)
    const last = take(own('c'))
    expect(last).toBeInstanceOf(Promise)
    await Promise.all([connections.close(), expect(last).rejects.toThrow('removed')])
  })
})

it('is not kept by a task whose time is over', () => {
  const { use } = someConnections()
  const [kept, shared] = [use(own('a')), use(SHARED)]
  kept.keepFor('short', -1)
  kept.keepFor('long', 60_000)
  expect(kept.keptMs).toBeGreaterThan(0)
  kept.forgetTask('long')
  shared.keepFor('long', 60_000)
  expect([kept.keptMs, shared.keptMs], 'a shared one is open anyway').toEqual([0, 0])
})
