import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { aLink } from '../../../test/support/a-link.ts'
import { aServer, calls, settled, successor } from '../../../test/support/a-supervised.ts'
import type { Place } from '../../gateway/upstream.ts'
import type { SupervisedOptions } from '../supervised-options.ts'

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
    server.sessionChanged('x', 'ended')
    server.sessionChanged('y', 'ended')
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
    server.sessionChanged('x', 'ended')
    await ask('tasks/result', place, 'y')
    await settled()
    expect(isClosed()).toEqual([true])
  })

  it.each([null, 'soon', { ms: 5 }, 1e12])(
    'whose time is %j keeps it for an hour at most',
    async (ttl) => {
      const { ask, server, isClosed } = aTaskServer(ttl)
      await ask('tools/call', {})
      server.sessionChanged('x', 'ended')
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

const contextOf = (place: Place) => ({
  signal: new AbortController().signal,
  client: aClient(),
  agent: undefined,
  place,
})

/** Each connection is in a session of its own, unless it joins one. */
function aSessionServer() {
  const answered: unknown[] = []
  const closed: unknown[] = []
  const task = { taskId: 't1', status: 'working', ttl: MINUTE_MS }
  const made = aServer(
    ({ joins }, count) =>
      aLink(
        {
          session: joins ?? `s${count}`,
          answer: async (...given) => void answered.push(given),
          close: async (options) => void closed.push(options),
        },
        {
          'tools/call': () => ({ task }),
          'tasks/result': async () =>
            new Promise((_, reject) => setTimeout(() => reject(new Error('closed')), 60)),
        },
      ),
    { kind: 'http' },
  )
  const ask = async (method: string, place: Place) =>
    made.server.request(method, { name: 'echo', taskId: 't1' }, contextOf(place))
  return { ...made, ask, answered, closed }
}

describe('a task in a session of a remote server', () => {
  it('is asked for in that session, which a new process joins', async () => {
    const { ask, opened, server, answered } = aSessionServer()
    await ask('tools/call', {})
    await ask('tasks/get', { session: 'earlier' })
    await ask('tasks/get', { session: 'earlier' })
    await ask('tasks/get', { session: 's0' })
    expect(opened.map(({ options }) => options.joins)).toEqual([undefined, 'earlier'])
    expect(opened.map(({ link }) => calls(link, 'tasks/get').length)).toEqual([1, 2])
    expect(calls(opened[1]?.link, 'tools/list'), 'it is there for the task alone').toEqual([])
    await server.answer(7, { action: 'accept' }, contextOf({ session: 'earlier' }))
    expect(answered).toEqual([[7, { action: 'accept' }]])
  })

  it('keeps that session when the connection ends, and other sessions end', async () => {
    const withTask = aSessionServer()
    await withTask.ask('tools/call', {})
    await withTask.server.close()
    const without = aSessionServer()
    await without.ask('ping', {})
    await without.server.close()
    expect([withTask.closed, without.closed]).toEqual([
      [{ keepsSession: true }],
      [{ keepsSession: false }],
    ])
  })

  it('is waited for by the server with the newer configuration', async () => {
    const { ask, server } = aSessionServer()
    const place: Place = {}
    await ask('tools/call', place)
    const waiting = ask('tasks/result', place)
    await settled()
    const said: string[] = []
    await server.close(successor(said))
    await vi.advanceTimersByTimeAsync(100)
    expect(await waiting).toEqual({ by: 'successor' })
    expect(said).toEqual(['tasks/result'])
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
  server.sessionChanged('x', 'ended')
  server.sessionChanged('y', 'ended')
  await settled()
  expect(opened.map(({ link }) => link.isClosed)).toEqual([false, true])
  await vi.advanceTimersByTimeAsync(1_000)
  await Promise.all(asked)
  expect(opened.map(({ link }) => link.isClosed)).toEqual([true, true])
})
