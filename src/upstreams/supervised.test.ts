import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { aLink, connecting } from '../../test/support/a-link.ts'
import {
  TOOLS,
  aServer,
  inSession,
  methods,
  settled,
  started,
  starting,
  successor,
} from '../../test/support/a-supervised.ts'
import { deferred } from '../../test/support/deferred.ts'
import { Canceller } from '../base/flow/signal.ts'
import { untilAborted } from '../base/flow/time.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a server', () => {
  it('is started by the first call, and one connection serves the next ones', async () => {
    const { server, opened, ask } = aServer()
    expect([server.status, server.diagnostics.connections, opened.length]).toEqual([
      { state: 'idle' },
      0,
      0,
    ])
    await ask()
    await ask()
    expect(opened).toHaveLength(1)
    expect([server.status, server.diagnostics.connections]).toMatchObject([
      { state: 'ready', era: 'legacy' },
      1,
    ])
    expect(methods(opened[0]?.link)?.filter((method) => method === 'tools/call')).toHaveLength(2)
    expect(server).toMatchObject({ name: 'a', kind: 'stdio', description: 'about' })
  })

  it('that never answers about its log holds no call longer than the call lasts', async () => {
    const silent = aLink(
      { capabilities: { tools: {}, logging: {} } },
      {
        'logging/setLevel': async (_, { signal = new Canceller() }) =>
          untilAborted(new Promise(() => undefined), signal),
        'tools/call': async (_, { signal = new Canceller() }) =>
          untilAborted(Promise.resolve({}), signal),
      },
    )
    const { ask } = aServer(() => silent)
    const canceller = new AbortController()
    const call = ask('tools/call', {
      client: aClient({ logLevel: 'debug' }),
      signal: canceller.signal,
    })
    await settled()
    canceller.abort(new Error('cancelled'))
    await expect(call).rejects.toThrow('cancelled')
  })

  it('is listed once it is up, and stays listed while it is down', async () => {
    const { server, opened, saved, ask } = aServer()
    const notified: string[] = []
    server.onNotification((method) => notified.push(method))
    expect(server.listing.tools).toEqual([])
    await ask()
    await settled()
    expect(server.listing.tools).toMatchObject([{ server: 'a', name: 'echo' }])
    expect(saved.at(-1)?.listing.tools).toHaveLength(1)
    expect(notified).toEqual(['notifications/tools/list_changed'])
    opened[0]?.link.lose()
    await settled()
    expect(server.listing.tools).toHaveLength(1)
  })

  it('is opened again by itself after a loss, and counts how often', async () => {
    const { server, opened, logged, ask } = aServer()
    await ask()
    opened[0]?.link.lose('ended by SIGKILL')
    await settled()
    expect([server.status, server.diagnostics.restarts]).toMatchObject([{ state: 'down' }, 1])
    expect(logged).toContain('down: ended by SIGKILL')
    await vi.advanceTimersByTimeAsync(2_000)
    expect([server.status.state, opened.length]).toEqual(['ready', 2])
  })

  it('is not opened again once it is closed', async () => {
    const { server, opened, ask } = aServer()
    await ask()
    opened[0]?.link.lose()
    await settled()
    await server.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect([server.status, opened.length]).toEqual([{ state: 'closed' }, 1])
    await expect(ask()).rejects.toThrow('it has been removed from the configuration')
  })

  it('stops after a silence, and not while somebody watches', async () => {
    const { server, opened, ask } = aServer(undefined, { idleMs: 1_000 })
    await ask()
    await vi.advanceTimersByTimeAsync(999)
    expect(opened[0]?.link.isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect([opened[0]?.link.isClosed, server.status.state]).toEqual([true, 'idle'])
    await ask()
    const unwatch = await server.watch('file:///a', aClient())
    await vi.advanceTimersByTimeAsync(10_000)
    expect(opened[1]?.link.isClosed).toBe(false)
    unwatch()
    await vi.advanceTimersByTimeAsync(1_000)
    expect([opened.length, opened[1]?.link.isClosed]).toEqual([2, true])
  })
})

describe('a call that fails', () => {
  it('names the server, shows what it wrote at its start, and says how long to wait', async () => {
    const { server, ask } = aServer(async () => Promise.reject(new Error('spawn x ENOENT')))
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: "Server unavailable: 'a': spawn x ENOENT",
    })
    await settled()
    expect(server.status).toMatchObject({ state: 'down', error: 'spawn x ENOENT' })
    expect(server.diagnostics.connections).toBe(0)
  })

  it('is over at once when it is cancelled, also while the server starts', async () => {
    const { ask } = aServer(starting)
    const leaving = new AbortController()
    const asked = ask('tools/call', { signal: leaving.signal })
    const failure = asked.catch((error: unknown) => error)
    await settled()
    leaving.abort(new Error('left'))
    expect(await failure).toMatchObject({ message: 'left' })
  })
})

describe('what a server writes', () => {
  it('is kept and logged; what it wrote at a start that failed is shown with the error', async () => {
    let fails = true
    const { connect } = connecting(() => aLink({}, TOOLS))
    const { server, ask, logged } = aServer(undefined, {
      connect: async (events, options) => {
        events.log(fails ? 'Error: no such file config.json' : 'listening')
        if (fails) throw new Error('ended with code 1')
        return connect(events, options)
      },
    })
    await expect(ask()).rejects.toMatchObject({
      details: { data: { output: [expect.stringContaining('config.json')] } },
    })
    await settled()
    expect(server.status).toMatchObject({ output: [expect.stringContaining('config.json')] })
    fails = false
    await vi.advanceTimersByTimeAsync(5_000)
    await ask()
    expect(server.status).not.toHaveProperty('output')
    expect(server.diagnostics.output.map(({ text }) => text).at(-1)).toBe('listening')
    expect(logged).toContain('listening')
  })
})

describe('a server that is replaced', () => {
  it('finishes the calls it has sent, and hands over those that wait for its start', async () => {
    const answered = deferred<object>()
    const { server, opened, ask } = aServer(() =>
      aLink({}, { ...TOOLS, 'tools/call': async () => answered.promise }),
    )
    const sent = ask()
    await settled()
    const closing = server.close(successor())
    expect(await ask()).toEqual({ by: 'successor' })
    answered.resolve({ by: 'old' })
    expect(await sent).toEqual({ by: 'old' })
    await closing
    expect(opened[0]?.link.isClosed).toBe(true)

    const slow = aServer(starting)
    const waiting = slow.ask()
    await settled()
    const replaced = slow.server.close(successor())
    expect(await waiting).toEqual({ by: 'successor' })
    await vi.advanceTimersByTimeAsync(5_000)
    await replaced
    expect((await slow.server.list()).instructions).toBe('new')
  })

  it('waits for its calls no longer than it may', async () => {
    const { server, opened, ask } = aServer(() =>
      aLink({}, { ...TOOLS, 'tools/call': async () => new Promise(() => {}) }),
    )
    const asked = ask().catch(() => undefined)
    await settled()
    const closed = server.close()
    await vi.advanceTimersByTimeAsync(1_999)
    expect(opened[0]?.link.isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await closed
    expect(opened[0]?.link.isClosed).toBe(true)
    void asked
  })

  it('has its successor watch what is watched, and tells that something may have been missed', async () => {
    const said: string[] = []
    const { server } = aServer(() => aLink({ capabilities: { resources: {} } }))
    const notified: unknown[] = []
    server.onNotification((method, params) => notified.push([method, params]))
    const [left, stays] = [
      await server.watch('file:///left', aClient()),
      await server.watch('file:///stays', aClient()),
    ]
    left()
    await server.close(successor(said))
    expect(said).toEqual(['file:///stays'])
    expect(notified).toContainEqual(['notifications/resources/updated', { uri: 'file:///stays' }])
    expect(notified).not.toContainEqual([
      'notifications/resources/updated',
      { uri: 'file:///left' },
    ])
    stays()
    stays()
    expect(said).toEqual(['file:///stays', 'un file:///stays'])
  })
})

describe('what a server sends by itself', () => {
  it('reaches the client of its call, or all of them where it belongs to none', async () => {
    const { notified, events } = await started()
    const heard: string[] = []
    const client = aClient({ notify: (method) => void heard.push(method) })
    events.notification('notifications/message', {}, client)
    events.notification('notifications/message', {}, undefined)
    events.notification('notifications/resources/updated', { uri: 'x' }, client)
    events.notification('notifications/tasks/status', {}, client)
    events.notification('notifications/subscriptions/other', {}, undefined)
    expect(heard).toEqual(['notifications/message'])
    expect(notified).toEqual([
      'notifications/message',
      'notifications/resources/updated',
      'notifications/tasks/status',
    ])
  })

  it('has it listed again when it says that a list has changed', async () => {
    const { events, link } = await started()
    const before = methods(link)?.filter((method) => method === 'tools/list').length ?? 0
    events.notification('notifications/tools/list_changed', {}, undefined)
    await settled()
    events.notification('notifications/tools/list_changed/more', {}, undefined)
    await settled()
    expect(methods(link)?.filter((method) => method === 'tools/list')).toHaveLength(before + 1)
  })

  it('makes it one that asks, unless it was a ping', async () => {
    const { events, saved } = await started()
    const signal = new AbortController().signal
    const client = aClient({ capabilities: { roots: {} }, request: async () => ({ roots: [] }) })
    const ask = async (method: string) =>
      events.request(method, {}, { signal, origin: async () => client })
    expect(await ask('ping')).toEqual({})
    expect(saved.at(-1)?.asksClients).not.toBe(true)
    expect(await ask('roots/list')).toEqual({ roots: [] })
    expect(saved.at(-1)?.asksClients).toBe(true)
  })
})

describe('sessions', () => {
  it('share a connection, or have their own where the server wants it, until they end', async () => {
    const shared = aServer()
    await shared.ask('tools/call', inSession('x'))
    await shared.ask('tools/call', inSession('y'))
    expect(shared.opened).toHaveLength(1)
    const apart = aServer(undefined, { session: 'per-session' })
    await apart.ask('tools/call', inSession('x'))
    await apart.ask('tools/call', inSession('y'))
    await apart.ask('tools/call', inSession('x'))
    expect([apart.opened.length, apart.server.diagnostics.connections]).toEqual([2, 2])
    apart.server.sessionChanged('x', 'ended')
    await settled()
    expect(apart.opened.map(({ link }) => link.isClosed)).toEqual([true, false])
  })
})
