import { expect, it, onTestFinished, vi } from 'vitest'
import { AN_ARRIVAL, aBackend } from '../../../test/support/a-backend.ts'
import { MAX_SESSION_MS, createSessionIds } from '../../fronts/session-ids.ts'
import { type SessionRequest, type SessionsOptions, createSessions } from './sessions.ts'

const sender = (owner: string): SessionRequest => ({
  backend: aBackend(),
  arrival: AN_ARRIVAL,
  owner,
})
const INITIALIZE = { clientInfo: { name: 'an editor', version: '1' } }

/** The sessions of one process; all of them have the same secret. */
function aProcess(options: Partial<SessionsOptions> = {}) {
  const ids = createSessionIds(() => Buffer.alloc(32, 1))
  const sessions = createSessions({ ids, idleMs: 60_000, releaseMs: 60_000, ...options })
  onTestFinished(() => sessions.closeAll())
  return sessions
}

it('opens a session in a process that has never seen it, and only once', async () => {
  const { id } = aProcess().open(sender('ada'), INITIALIZE)
  const other = aProcess()
  const [one, two] = await Promise.all([
    other.find(id, sender('ada')),
    other.find(id, sender('ada')),
  ])
  expect(one).toBeDefined()
  expect(one).toBe(two)
  expect([one?.id, other.size]).toEqual([id, 1])
})

it('belongs to its owner, whether it is in memory or not', async () => {
  const process = aProcess()
  const { id } = process.open(sender('ada'), INITIALIZE)
  for (const place of [process, aProcess()]) {
    expect(await place.find(id, sender('eve'))).toBeUndefined()
    expect(await place.find(id, sender(''))).toBeUndefined()
    expect(await place.find(id, sender('ada'))).toBeDefined()
  }
})

it('does not begin again after its client has ended it', async () => {
  const process = aProcess()
  const session = process.open(sender('ada'), INITIALIZE)
  process.end(session)
  expect(await process.find(session.id, sender('ada'))).toBeUndefined()
  expect(process.size).toBe(0)
})

it('has ended at every replica, whether a replica served it or not', async () => {
  const listeners = new Map<string, (message: { kind: 'end' }) => void>()
  const ended = new Set<string>()
  const replica = () =>
    aProcess({
      relay: {
        publish: (key, message) => {
          if (message.kind === 'end') listeners.get(key)?.(message)
        },
        subscribe: (key, listener) => {
          listeners.set(key, listener)
          return { ready: Promise.resolve(), stop: () => undefined }
        },
        end: async (key) => void ended.add(key),
        hasEnded: async (key) => ended.has(key),
      },
    })
  const [one, two, three] = [replica(), replica(), replica()]
  const session = one.open(sender('ada'), INITIALIZE)
  await two.find(session.id, sender('ada'))
  one.end(session)
  expect([one.size, two.size]).toEqual([0, 0])
  ended.clear() // As after Redis was emptied.
  expect(await two.find(session.id, sender('ada'))).toBeUndefined()
  ended.add(session.key)
  expect(await three.find(session.id, sender('ada'))).toBeUndefined()
})

it('ends with its id, even while its client uses it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const process = aProcess()
  const { id } = process.open(sender('ada'), INITIALIZE)
  vi.setSystemTime(Date.now() + MAX_SESSION_MS)
  expect(await process.find(id, sender('ada'))).toBeDefined()
  vi.setSystemTime(Date.now() + 1)
  expect(await process.find(id, sender('ada'))).toBeUndefined()
})

it('leaves the memory when its client is silent, and goes on with its next request', async () => {
  const process = aProcess({ idleMs: 20 })
  const { id } = process.open(sender('ada'), INITIALIZE)
  await expect.poll(() => process.size).toBe(0)
  expect((await process.find(id, sender('ada')))?.id).toBe(id)
})
