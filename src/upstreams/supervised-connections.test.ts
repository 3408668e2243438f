import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { aLink } from '../../test/support/a-link.ts'
import {
  TOOLS,
  aServer,
  calls,
  inSession,
  settled,
  started,
  starting,
  successor,
} from '../../test/support/a-supervised.ts'
import { deferred } from '../../test/support/deferred.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('connections beside the shared one', () => {
  it('are not listed: what the server offers one client is not for all', async () => {
    const { server, opened, ask } = aServer(undefined, { session: 'per-session' })
    await server.list()
    await ask('tools/call', inSession('x'))
    await settled()
    expect(opened).toHaveLength(2)
    expect(opened.map(({ link }) => calls(link, 'tools/list').length)).toEqual([1, 0])
    opened[0]?.link.lose()
    await settled()
    await ask('tools/call', inSession('y'))
    await settled()
    expect(calls(opened[2]?.link, 'tools/list'), 'while the shared one is down').toHaveLength(0)
  })

  it('end when the client of their session seems to have gone, unless they are busy', async () => {
    const answered = deferred<object>()
    const { server, opened, ask } = aServer(
      (_, count) =>
        aLink({}, count === 1 ? { ...TOOLS, 'tools/call': async () => answered.promise } : TOOLS),
      { session: 'per-session' },
    )
    await ask('tools/call', inSession('x'))
    const busy = ask('tools/call', inSession('y'))
    await settled()
    for (const session of ['x', 'y', 'z']) server.sessionChanged(session, 'suspended')
    await settled()
    expect(opened.map(({ link }) => link.isClosed)).toEqual([true, false])
    answered.resolve({})
    await busy
    server.sessionChanged('y', 'suspended')
    await settled()
    expect(opened.map(({ link }) => link.isClosed)).toEqual([true, true])
    await ask('tools/call', inSession('x'))
    expect(opened).toHaveLength(3)
  })

  it('that end with their call are not opened again by themselves', async () => {
    const { server, opened, ask } = aServer(
      () => aLink({}, { 'tools/call': async () => new Promise(() => undefined) }),
      { session: 'per-call' },
    )
    void ask().catch(() => undefined)
    await settled()
    expect(server.status.state).toBe('ready')
    opened[0]?.link.lose()
    await vi.advanceTimersByTimeAsync(60_000)
    expect([opened.length, server.diagnostics.restarts]).toEqual([1, 1])
  })

  it('of a session are opened again after a loss, as long as the session lasts', async () => {
    const { server, opened, ask } = aServer(undefined, { session: 'per-session' })
    await ask('tools/call', inSession('x'))
    await vi.advanceTimersByTimeAsync(2_000)
    opened[0]?.link.lose()
    await vi.advanceTimersByTimeAsync(2_000)
    expect([opened.length, server.diagnostics.restarts]).toEqual([2, 1])
    server.sessionChanged('x', 'ended')
    await vi.advanceTimersByTimeAsync(60_000)
    expect([opened.length, server.status.state]).toEqual([2, 'idle'])
  })
})

describe('the status of a server', () => {
  it('is that of its best connection', async () => {
    const { server, opened, ask } = aServer(
      async (options, count) => (count === 0 ? aLink({}, TOOLS) : starting(options, count)),
      { session: 'per-session' },
    )
    await ask('tools/call', inSession('x'))
    const second = ask('tools/call', inSession('y')).catch(() => undefined)
    await settled()
    expect([server.status.state, server.diagnostics.connections]).toEqual(['ready', 1])
    opened[0]?.link.lose()
    await settled()
    expect([server.status.state, server.diagnostics.connections]).toEqual(['starting', 0])
    await vi.advanceTimersByTimeAsync(5_000)
    await second
    expect(server.status.state).not.toBe('ready')
  })

  it('says what to do where the server wrote why it could not start', async () => {
    const { server, ask } = aServer(undefined, {
      connect: async (events) => {
        events.log('Error: SHOP_API_TOKEN is required')
        throw new Error('ended with code 1')
      },
    })
    const advice = expect.stringContaining('portolan secrets set SHOP_API_TOKEN --for a')
    await expect(ask()).rejects.toMatchObject({ details: { hint: advice } })
    await settled()
    expect(server.status).toMatchObject({ state: 'down', nextStep: advice })
    const unknown = aServer(async () => Promise.reject(new Error('ended with code 1')))
    await expect(unknown.ask()).rejects.toMatchObject({
      details: { hint: expect.stringContaining('get_gateway_status') },
    })
    expect(unknown.server.status).not.toHaveProperty('nextStep')
  })

  it('shows nothing that it wrote about calls as the reason of a failed start', async () => {
    const { server, opened, ask } = aServer()
    await ask()
    await vi.advanceTimersByTimeAsync(2_000)
    opened[0]?.events.log('row 7 of ada: secret')
    opened[0]?.link.lose('ended by SIGKILL')
    await settled()
    expect(server.status).toMatchObject({ state: 'down', error: 'ended by SIGKILL' })
    expect(server.status).not.toHaveProperty('output')
    expect(server.diagnostics.output.map(({ text }) => text)).toEqual(['row 7 of ada: secret'])
  })
})

describe('a call', () => {
  it('has the server log at the level of its client, once', async () => {
    const { opened, ask } = aServer(() =>
      aLink({ capabilities: { tools: {}, logging: {} } }, TOOLS),
    )
    const levels = () => calls(opened[0]?.link, 'logging/setLevel').map(({ params }) => params)
    await ask()
    expect(levels()).toEqual([])
    await ask('tools/call', { client: aClient({ logLevel: 'debug' }) })
    await ask('tools/call', { client: aClient({ logLevel: 'debug' }) })
    expect(levels()).toEqual([{ level: 'debug' }])
  })

  const marked = {
    name: 'echo',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    },
  }
  const headersOf = async (kind: 'http' | 'stdio', method: string) => {
    const { server, opened } = aServer(
      () => aLink({}, { 'tools/list': () => ({ tools: [marked, { name: 'plain' }] }) }),
      { kind },
    )
    await server.list()
    const context = {
      signal: new AbortController().signal,
      client: aClient(),
      agent: undefined,
    }
    for (const name of ['echo', 'plain'])
      await server.request(method, { name, arguments: { region: 'eu' } }, context)
    return calls(opened[0]?.link, method).map((sent) => sent.context.headers)
  }

  it('repeats in headers what the schema of its tool wants there, over HTTP only', async () => {
    expect(await headersOf('http', 'tools/call')).toEqual([{ 'mcp-param-region': 'eu' }, undefined])
    expect(await headersOf('stdio', 'tools/call')).toEqual([undefined, undefined])
    expect(await headersOf('http', 'prompts/get')).toEqual([undefined, undefined])
  })

  it('that the server answers with an error is no failure of the server', async () => {
    const refusal = new RpcError(RPC.invalidParams, 'no such row')
    const { server, opened, ask } = aServer(() =>
      aLink({}, { ...TOOLS, 'tools/call': async () => Promise.reject(refusal) }),
    )
    await expect(ask()).rejects.toBe(refusal)
    expect([server.status.state, opened.length]).toEqual(['ready', 1])
  })

  it('that was sent is not sent again to a successor', async () => {
    const said: string[] = []
    const fails = deferred<void>()
    const { server, ask } = aServer(() =>
      aLink(
        {},
        {
          ...TOOLS,
          'tools/call': async () =>
            fails.promise.then(async () => Promise.reject(new Error('reset'))),
        },
      ),
    )
    const sent = ask().catch((error: unknown) => error)
    await settled()
    const closing = server.close(successor(said))
    fails.resolve()
    expect(await sent).toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    await closing
    expect(said).toEqual([])
  })
})

describe('the lists of a server', () => {
  it('are asked for once by all that ask at the same time, and again by a refresh', async () => {
    const { server, opened } = aServer()
    const [one, other] = await Promise.all([server.list(), server.list({ client: aClient() })])
    expect(one).toBe(other)
    expect(one.tools).toHaveLength(1)
    await server.list()
    expect(calls(opened[0]?.link, 'tools/list')).toHaveLength(1)
    await server.list({ again: true })
    expect(calls(opened[0]?.link, 'tools/list')).toHaveLength(2)
  })

  it('cannot be had from one that does not start, nor from one that was removed', async () => {
    const down = aServer(async () => Promise.reject(new Error('spawn x ENOENT')))
    await expect(down.server.list()).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    const { server } = aServer()
    await server.close()
    await expect(server.list()).rejects.toThrow('removed from the configuration')
    await expect(server.watch('a:b', aClient())).rejects.toThrow('removed from the configuration')
  })

  it('are those of the successor once there is one', async () => {
    const { server } = aServer()
    await server.list()
    const said: string[] = []
    const next = successor(said)
    await server.close(next)
    expect(server.listing).toBe(next.listing)
    await server.watch('a:b', aClient())
    expect(said).toEqual(['a:b'])
  })

  it('that wait for a start are asked of the successor', async () => {
    const { server } = aServer(starting)
    const waiting = server.list()
    await settled()
    const closing = server.close(successor())
    expect((await waiting).instructions).toBe('new')
    await vi.advanceTimersByTimeAsync(5_000)
    await closing
  })
})

it('tells nobody who does not listen any more', async () => {
  const { server, events, notified } = await started()
  const heard: string[] = []
  const stop = server.onNotification((method) => heard.push(method))
  events.notification('notifications/message', {}, undefined)
  stop()
  events.notification('notifications/message', {}, undefined)
  expect([heard.length, notified.length]).toEqual([1, 2])
  await server.close()
  events.notification('notifications/message', {}, undefined)
  expect(notified).toHaveLength(2)
})

const watchable = () => aLink({ capabilities: { resources: {} } })

describe('a watched resource', () => {
  it('is watched again after a loss, and may have changed meanwhile', async () => {
    const { server, opened } = aServer(watchable)
    const notified: unknown[] = []
    server.onNotification((method, params) => notified.push([method, params]))
    await server.watch('a:b', aClient())
    await vi.advanceTimersByTimeAsync(2_000)
    expect(notified).toEqual([])
    opened[0]?.link.lose()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(calls(opened[1]?.link, 'resources/subscribe').map(({ params }) => params)).toEqual([
      { uri: 'a:b' },
    ])
    expect(notified).toEqual([['notifications/resources/updated', { uri: 'a:b' }]])
  })

  it('is not watched any more once its session has ended', async () => {
    const { server, opened } = aServer(watchable, { session: 'per-session' })
    await server.watch('a:b', aClient({ session: 'x' }))
    await server.watch('a:c', aClient({ session: 'y' }))
    server.sessionChanged('x', 'ended')
    await settled()
    expect(opened.map(({ link }) => link.isClosed)).toEqual([true, false])
  })

  it('of a client that can be asked is watched on the connection of its calls', async () => {
    const { server, opened, ask } = aServer(watchable)
    const roots = { roots: {} }
    const [x, y] = ['x', 'y'].map((session) =>
      aClient({ session, era: 'legacy', capabilities: roots }),
    )
    if (!x || !y) throw new Error('two clients')
    await server.watch('a:b', x)
    await server.watch('a:c', y)
    await ask('tools/call', { client: x })
    await ask('tools/call', { client: y })
    expect(
      opened.map(({ link }) => [
        calls(link, 'resources/subscribe').map(({ params }) => params['uri']),
        calls(link, 'tools/call').length,
      ]),
    ).toEqual([
      [['a:b'], 1],
      [['a:c'], 1],
    ])
  })
})
