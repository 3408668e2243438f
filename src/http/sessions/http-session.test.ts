import { expect, it, vi } from 'vitest'
import { AN_ARRIVAL, aBackend } from '../../../test/support/a-backend.ts'
import type { SessionStore, SessionUpdate } from '../../fronts/session-store.ts'
import { HttpSession } from './http-session.ts'

function aSession(store?: SessionStore) {
  return new HttpSession({
    backend: aBackend(),
    arrival: AN_ARRIVAL,
    store,
    fingerprint: '',
    ended: () => {},
  })
}

it('keeps messages for the next stream, but no progress, which is of no use later', () => {
  const session = aSession()
  const channel = session.channel()
  channel.notify('notifications/progress', { progress: 1 })
  channel.notify('notifications/message', { data: 'kept' })
  const write = vi.fn<(text: string) => void>()
  const stop = session.listen(write)
  channel.notify('notifications/progress', { progress: 2 })
  const sent = write.mock.calls.map(([text]) => Object(JSON.parse(text)).params)
  expect(sent).toEqual([{ data: 'kept' }, { progress: 2 }])
  stop()
  channel.notify('notifications/progress', { progress: 3 })
  expect(write).toHaveBeenCalledTimes(2)
})

it('sends progress through the replica that has the stream of its client', () => {
  const listeners: ((update: SessionUpdate) => void)[] = []
  const publish = vi.fn<SessionStore['publish']>()
  const session = aSession({
    save: async () => {},
    load: async () => undefined,
    remove: async () => {},
    publish,
    subscribe: (_, listener) => {
      listeners.push(listener)
      return { ready: Promise.resolve(), stop: () => {} }
    },
    onLoss: () => {},
  })
  for (const listener of listeners) listener({ kind: 'stream' })
  session.channel().notify('notifications/progress', { progress: 1 })
  expect(publish.mock.calls).toEqual([
    [session.id, { kind: 'say', text: expect.stringContaining('"progress":1') }],
  ])
})
