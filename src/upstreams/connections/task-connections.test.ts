import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { aLink } from '../../../test/support/a-link.ts'
import { aServer, calls, settled } from '../../../test/support/a-supervised.ts'
import type { Place } from '../../gateway/upstream.ts'
import type { SupervisedOptions } from '../supervised.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const MINUTE_MS = 60_000

/** A server whose calls make a task with this `ttl`, on a connection for each session. */
function aTaskServer(ttl: unknown, parts: Partial<SupervisedOptions> = {}) {
  const task = { taskId: 't1', status: 'working', ttl }
  const one = aServer(
    () => aLink({}, { 'tools/call': () => ({ task }), 'tasks/get': () => ({ ...task }) }),
    { session: 'per-session', ...parts },
  )
  const ask = async (method: string, place: Place | undefined, session = 'x') =>
    one.server.request(
      method,
      { name: 'echo', taskId: 't1' },
      {
        signal: new AbortController().signal,
        client: aClient({ session }),
        agent: undefined,
        place,
      },
    )
  const isClosed = () => one.opened.map(({ link }) => link.isClosed)
  return { ...one, ask, isClosed }
}

describe('a task', () => {
  it('is asked for on the connection that it was made on, whoever asks', async () => {
    const { ask, opened } = aTaskServer(MINUTE_MS)
    const place: Place = {}
    await ask('tools/call', place, 'x')
    await ask('tools/call', {}, 'y')
    await ask('tasks/get', place, 'y')
    await ask('tasks/get', { connection: undefined }, 'y')
    expect(opened.map(({ link }) => calls(link, 'tasks/get').length)).toEqual([1, 1])
  })

  it('keeps its connection open after its session, until its time is over', async () => {
    const { ask, server, isClosed } = aTaskServer(MINUTE_MS)
    const place: Place = {}
    await ask('tools/call', place, 'x')
    await ask('ping', undefined, 'y')
    server.release('x')
    server.release('y')
    await settled()
    expect(isClosed(), 'nothing keeps the one without a task').toEqual([false, true])
    await vi.advanceTimersByTimeAsync(MINUTE_MS - 1)
    await ask('tasks/get', place, 'z')
    expect(isClosed()[0]).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isClosed()).toEqual([true, true])
  })

  it('does not keep it longer once its result was fetched', async () => {
    const { ask, server, isClosed } = aTaskServer(MINUTE_MS)
    const place: Place = {}
    await ask('tools/call', place)
    server.release('x')
    await ask('tasks/result', place, 'y')
    await settled()
    expect(isClosed()).toEqual([true])
  })

  it.each([null, 'soon', { ms: 5 }, 1e12])(
    'whose time is %j keeps it for an hour at most',
    async (ttl) => {
      const { ask, server, isClosed } = aTaskServer(ttl)
      await ask('tools/call', {})
      server.release('x')
      await vi.advanceTimersByTimeAsync(3_600_000 - 1)
      expect(isClosed()).toEqual([false])
      await vi.advanceTimersByTimeAsync(1)
      expect(isClosed()).toEqual([true])
    },
  )

  it('is lost with the process that ran it, and another one is not asked', async () => {
    const { ask, opened } = aTaskServer(MINUTE_MS)
    const place: Place = {}
    await ask('tools/call', place)
    await vi.advanceTimersByTimeAsync(2_000)
    opened[0]?.link.lose()
    await settled()
    await expect(ask('tasks/get', place)).rejects.toThrow('has ended')
    await vi.advanceTimersByTimeAsync(2_000)
    expect(opened).toHaveLength(2)
    await expect(ask('tasks/get', place), 'another process is up').rejects.toThrow('has ended')
    expect(calls(opened[1]?.link, 'tasks/get')).toEqual([])
    await expect(ask('tasks/get', { connection: 'nonsense' })).rejects.toThrow('has ended')
  })

  it('of a remote server is asked for over any connection where its own has ended', async () => {
    const { ask, opened } = aTaskServer(MINUTE_MS, { kind: 'http' })
    const place: Place = {}
    await ask('tools/call', place)
    await vi.advanceTimersByTimeAsync(2_000)
    opened[0]?.link.lose()
    await vi.advanceTimersByTimeAsync(2_000)
    await ask('tasks/get', place)
    await ask('tasks/get', { connection: '1 gone' })
    expect(calls(opened[1]?.link, 'tasks/get')).toHaveLength(2)
  })
})

it('a call that may make a task outlives its session', async () => {
  const { server, opened } = aServer(
    () =>
      aLink({}, { 'tools/call': async () => new Promise((resolve) => setTimeout(resolve, 1_000)) }),
    { session: 'per-session' },
  )
  const call = async (session: string, place: Place | undefined) =>
    server
      .request(
        'tools/call',
        { name: 'echo' },
        {
          signal: new AbortController().signal,
          client: aClient({ session }),
          agent: undefined,
          place,
        },
      )
      .catch(() => undefined)
  const asked = [call('x', {}), call('y', undefined)]
  await settled()
  server.release('x')
  server.release('y')
  await settled()
  expect(opened.map(({ link }) => link.isClosed)).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(1_000)
  await Promise.all(asked)
  expect(opened.map(({ link }) => link.isClosed)).toEqual([true, true])
})
