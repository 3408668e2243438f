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
