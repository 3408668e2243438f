import { expect, it } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { Callers } from './callers.ts'

const METHOD = 'elicitation/create'

/** Calls that end when they are told to. */
function someCalls(callers: Callers, capabilities: JsonObject = { elicitation: {} }) {
  const ends = new Map<string, () => void>()
  const begin = (session: string, name = session) => {
    const client = aClient({ session, capabilities })
    void callers.during(client, async () => new Promise<void>((end) => ends.set(name, end)))
    return client
  }
  return { begin, end: (name: string) => ends.get(name)?.() }
}

it('knows the origin while one session alone waits', () => {
  const callers = new Callers()
  expect(callers.origin).toBeUndefined()
  const { begin } = someCalls(callers)
  begin('a')
  const again = begin('a', 'a2')
  expect(callers.origin).toBe(again)
  begin('b')
  expect(callers.origin).toBeUndefined()
})

it('takes no two calls without a session for those of one client', () => {
  const callers = new Callers()
  const { begin } = someCalls(callers)
  const first = begin('')
  expect(callers.origin).toBe(first)
  begin('', 'another')
  expect(callers.origin).toBeUndefined()
})

it('holds a question until only the one that is asked is left', async () => {
  const callers = new Callers()
  const { begin, end } = someCalls(callers)
  begin('plain')
  begin('plainer')
  const asked = begin('asked')
  const asker = callers.clientFor(METHOD, new Canceller())
  end('plain')
  expect(await Promise.race([asker, Promise.resolve('held')])).toBe('held')
  end('plainer')
  expect(await asker).toBe(asked)
})

it('gives up a question that stays anybody’s, and one that is taken back', async () => {
  const callers = new Callers(undefined, 30)
  const { begin } = someCalls(callers)
  begin('a')
  begin('b')
  expect(await callers.clientFor(METHOD, new Canceller())).toBeUndefined()
  const takenBack = new Canceller()
  const asker = callers.clientFor(METHOD, takenBack)
  takenBack.abort(new Error('taken back'))
  await expect(asker).rejects.toThrow('taken back')
})

it('begins no other call while a question is held', async () => {
  const callers = new Callers()
  const { begin, end } = someCalls(callers)
  begin('plain')
  const asked = begin('asked')
  const asker = callers.clientFor(METHOD, new Canceller())
  begin('late')
  expect(callers.count).toBe(2)
  end('plain')
  expect(await asker).toBe(asked)
  await expect.poll(() => callers.count).toBe(2)
  expect(callers.origin).toBeUndefined()
})

it('holds no question that nobody can answer, but for roots, which have an answer for that case', async () => {
  const callers = new Callers()
  const { begin } = someCalls(callers, { sampling: {} })
  begin('a')
  const last = begin('b')
  expect(await callers.clientFor(METHOD, new Canceller())).toBe(last)
  expect(await callers.clientFor('roots/list', new Canceller())).toBeUndefined()
})

it('forgets the call that has ended, and none of the others', async () => {
  const callers = new Callers()
  const { begin, end } = someCalls(callers)
  const first = begin('a')
  begin('b')
  begin('c')
  end('b')
  await expect.poll(() => callers.count).toBe(2)
  end('c')
  await expect.poll(() => callers.origin).toBe(first)
  end('a')
  await expect.poll(() => callers.count).toBe(0)
})

it('holds a question until one is left, though the last to call ends first', async () => {
  const callers = new Callers()
  const { begin, end } = someCalls(callers)
  const asked = begin('asked')
  begin('plain')
  begin('last')
  const asker = callers.clientFor(METHOD, new Canceller())
  end('last')
  expect(await Promise.race([asker, Promise.resolve('held')])).toBe('held')
  end('plain')
  expect(await asker).toBe(asked)
})

it('asks the owner of the connection where nobody waits', async () => {
  const owner = aClient({ session: 'owner' })
  const callers = new Callers(owner)
  expect(callers.origin).toBe(owner)
  expect(await callers.clientFor(METHOD, new Canceller())).toBe(owner)
  const { begin } = someCalls(callers)
  const caller = begin('caller')
  expect(await callers.clientFor(METHOD, new Canceller())).toBe(caller)
})

it('counts no call of the gateway itself, and holds none up', async () => {
  const callers = new Callers()
  const { begin } = someCalls(callers)
  begin('a')
  begin('b')
  const taken = new Canceller()
  const asker = callers.clientFor(METHOD, taken).catch(() => undefined)
  expect(await callers.during(undefined, async () => callers.count)).toBe(2)
  taken.abort(new Error('enough'))
  await asker
})

it('goes on holding calls back while a second question is held', async () => {
  const callers = new Callers()
  const { begin, end } = someCalls(callers)
  begin('plain')
  begin('asked')
  const takenBack = new Canceller()
  const first = callers.clientFor(METHOD, takenBack).catch(() => 'taken back')
  const second = callers.clientFor(METHOD, new Canceller())
  begin('late')
  takenBack.abort(new Error('taken back'))
  expect(await first).toBe('taken back')
  await new Promise((resolve) => setImmediate(resolve))
  expect(callers.count, 'late waits for the second question').toBe(2)
  end('plain')
  await second
  await expect.poll(() => callers.count).toBe(2)
})

it('holds a question that one of those who wait can answer', async () => {
  const callers = new Callers()
  const able = someCalls(callers)
  const unable = someCalls(callers, {})
  const asked = able.begin('able')
  unable.begin('unable')
  const asker = callers.clientFor(METHOD, new Canceller())
  expect(await Promise.race([asker, Promise.resolve('held')])).toBe('held')
  unable.end('unable')
  expect(await asker).toBe(asked)
})
