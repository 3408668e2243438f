import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { aLink } from '../../../test/support/a-link.ts'
import { aServer, calls, settled } from '../../../test/support/a-supervised.ts'
import type { UsedConnection } from '../../gateway/upstream.ts'
import { type Link, SessionLost } from '../link.ts'
import type { SupervisedOptions } from '../supervised-options.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const MINUTE_MS = 60_000

/** A server whose calls make a task with this `ttl`, on a connection for each session. */
function aTaskServer(
  ttl: unknown,
  parts: Partial<SupervisedOptions> = {},
  { era = 'legacy' }: Partial<Pick<Link, 'era'>> = {},
) {
  const task = { taskId: 't1', status: 'working', ttl }
  const one = aServer(
    () =>
      aLink(
        { era },
        {
          'tools/call': () => ({ task }),
          'tasks/get': ({ taskId }) => {
            if (taskId === 'forgotten') throw new SessionLost({ mayRepeat: true })
            return task
          },
        },
      ),
    { session: 'per-session', ...parts },
  )
  const ask = async (
    method: string,
    place: UsedConnection | undefined,
    session = 'x',
    taskId = 't1',
  ) =>
    one.server.request(
      method,
      { name: 'echo', taskId },
      {
        signal: new AbortController().signal,
        client: aClient({ session, era }),
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
    const place: UsedConnection = {}
    await ask('tools/call', place, 'x')
    await ask('tools/call', {}, 'y')
    await ask('tasks/get', place, 'y')
    await ask('tasks/get', { connection: undefined }, 'y')
    expect(opened.map(({ link }) => calls(link, 'tasks/get').length)).toEqual([1, 1])
  })

  it('keeps its connection open after its session, until its time is over', async () => {
    const { ask, server, isClosed } = aTaskServer(MINUTE_MS)
    const place: UsedConnection = {}
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
    const place: UsedConnection = {}
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
    const place: UsedConnection = {}
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

  it('of a remote server is lost with its session, also where a request shows that that is gone', async () => {
    const { ask, opened } = aTaskServer(MINUTE_MS, { kind: 'http' })
    const [first, second]: UsedConnection[] = [{}, {}]
    await ask('tools/call', first)
    await vi.advanceTimersByTimeAsync(2_000)
    opened[0]?.link.lose()
    await vi.advanceTimersByTimeAsync(2_000)
    await expect(ask('tasks/get', first)).rejects.toThrow('has ended')
    await ask('tools/call', second)
    await expect(ask('tasks/get', second, 'x', 'forgotten')).rejects.toThrow('has ended')
    expect(calls(opened[1]?.link, 'tasks/get')).toHaveLength(1)
  })

  it('is not asked of the same server with a newer configuration, which counts anew', async () => {
    const [before, after] = [aTaskServer(MINUTE_MS), aTaskServer(MINUTE_MS)]
    const place: UsedConnection = {}
    await before.ask('tools/call', place)
    await after.ask('tools/call', {})
    await expect(after.ask('tasks/get', place)).rejects.toThrow('has ended')
  })

  it('of 2026-07-28 is asked for over any connection to a remote server', async () => {
    const { ask, opened } = aTaskServer(
      MINUTE_MS,
      { kind: 'http', eras: { legacy: false, modern: true } },
      { era: 'modern' },
    )
    const place: UsedConnection = {}
    await ask('tools/call', place)
    expect(place).toEqual({})
    opened[0]?.link.lose()
    await vi.advanceTimersByTimeAsync(2_000)
    await ask('tasks/get', place)
    expect(calls(opened[1]?.link, 'tasks/get')).toHaveLength(1)
  })
})

it('a call that may make a task outlives its session', async () => {
  const { server, opened } = aServer(
    () =>
      aLink({}, { 'tools/call': async () => new Promise((resolve) => setTimeout(resolve, 1_000)) }),
    { session: 'per-session' },
  )
  const call = async (session: string, place: UsedConnection | undefined) =>
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
