import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aClient, anUpstream } from '../../test/support/a-call.ts'
import { type TestLink, aLink, connecting } from '../../test/support/a-link.ts'
import { deferred } from '../../test/support/deferred.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import type { Remembered } from './listing/listing-store.ts'
import { Supervised, type SupervisedOptions } from './supervised.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const settled = async () => vi.advanceTimersByTimeAsync(0)

const TOOLS = { 'tools/list': () => ({ tools: [{ name: 'echo' }] }) }

type Make = Parameters<typeof connecting>[0]

/** A start that lasts until it is given up. */
const starting: Make = async ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('given up')), { once: true })
  })

/** A server `a` whose connections the test makes. */
function aServer(make: Make = () => aLink({}, TOOLS), parts: Partial<SupervisedOptions> = {}) {
  const { connect, opened } = connecting(make)
  const saved: Remembered[] = []
  const logged: string[] = []
  const server = new Supervised({
    name: 'a',
    kind: 'stdio',
    description: 'about',
    connect,
    eras: { legacy: true, modern: false },
    session: 'auto',
    maxConnections: 4,
    releaseMs: 60_000,
    store: { load: () => undefined, save: (remembered) => saved.push(remembered) },
    connectMs: 5_000,
    backoffMs: { min: 100, max: 1_000 },
    drainMs: 2_000,
    idleMs: undefined,
    project: async () => ({ path: '/', source: 'cwd' }),
    log: (line) => logged.push(line),
    ...parts,
  })
  const ask = async (
    method = 'tools/call',
    { client = aClient(), signal = new AbortController().signal } = {},
  ) => server.request(method, { name: 'echo' }, { signal, client, agent: undefined })
  return { server, opened, saved, logged, ask }
}

const methods = (link: TestLink | undefined) => link?.sent.map(({ method }) => method)

describe('a server', () => {
  it('is started by the first call, and one connection serves the next ones', async () => {
    const { server, opened, ask } = aServer()
    expect([server.status, server.connections, opened.length]).toEqual([{ state: 'idle' }, 0, 0])
    await ask()
    await ask()
    expect(opened).toHaveLength(1)
    expect([server.status, server.connections]).toMatchObject([
      { state: 'ready', era: 'legacy' },
      1,
    ])
    expect(methods(opened[0]?.link)?.filter((method) => method === 'tools/call')).toHaveLength(2)
    expect(server).toMatchObject({ name: 'a', kind: 'stdio', description: 'about', restarts: 0 })
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
    expect([server.status, server.restarts]).toMatchObject([{ state: 'down' }, 1])
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
    expect(server.connections).toBe(0)
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
    expect(server.output.map(({ text }) => text).at(-1)).toBe('listening')
    expect(logged).toContain('listening')
  })
})

const successor = (said: string[] = []): Upstream =>
  anUpstream({
    name: 'a',
    request: async (method) => (said.push(method), { by: 'successor' }),
    live: async () => ({ ...anUpstream().listing, instructions: 'new' }),
    watch: async (uri) => (said.push(uri), () => void said.push(`un ${uri}`)),
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
    expect((await slow.server.live()).instructions).toBe('new')
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

async function started() {
  const one = aServer()
  await one.ask()
  await settled()
  const notified: string[] = []
  one.server.onNotification((method) => notified.push(method))
  const [{ events, link } = {}] = one.opened
  if (!events || !link) throw new Error('not opened')
  return { ...one, notified, events, link }
}

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

const inSession = (session: string) => ({ client: aClient({ session }) })

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
    expect([apart.opened.length, apart.server.connections]).toEqual([2, 2])
    apart.server.release('x')
    await settled()
    expect(apart.opened.map(({ link }) => link.isClosed)).toEqual([true, false])
  })
})

const calls = (link: TestLink | undefined, name: string) =>
  link?.sent.filter(({ method }) => method === name) ?? []

describe('connections beside the shared one', () => {
  it('are listed once: a second list would be told twice', async () => {
    const { server, opened, ask } = aServer(undefined, { session: 'per-session' })
    await server.live()
    await ask('tools/call', inSession('x'))
    await settled()
    expect(opened).toHaveLength(2)
    expect(opened.map(({ link }) => calls(link, 'tools/list').length)).toEqual([1, 0])
    opened[0]?.link.lose()
    await settled()
    await ask('tools/call', inSession('y'))
    await settled()
    expect(calls(opened[2]?.link, 'tools/list'), 'while the shared one is down').toHaveLength(1)
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
    for (const session of ['x', 'y', 'z']) server.suspend(session)
    await settled()
    expect(opened.map(({ link }) => link.isClosed)).toEqual([true, false])
    answered.resolve({})
    await busy
    server.suspend('y')
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
    expect([opened.length, server.restarts]).toEqual([1, 1])
  })

  it('of a session are opened again after a loss, as long as the session lasts', async () => {
    const { server, opened, ask } = aServer(undefined, { session: 'per-session' })
    await ask('tools/call', inSession('x'))
    await vi.advanceTimersByTimeAsync(2_000)
    opened[0]?.link.lose()
    await vi.advanceTimersByTimeAsync(2_000)
    expect([opened.length, server.restarts]).toEqual([2, 1])
    server.release('x')
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
    expect([server.status.state, server.connections]).toEqual(['ready', 1])
    opened[0]?.link.lose()
    await settled()
    expect([server.status.state, server.connections]).toEqual(['starting', 0])
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
    expect(server.output.map(({ text }) => text)).toEqual(['row 7 of ada: secret'])
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
    await server.live()
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
  it('are asked for once by all that ask at the same time, and anew by a refresh', async () => {
    const { server, opened } = aServer()
    const [one, other] = await Promise.all([server.live(), server.live(aClient())])
    expect(one).toBe(other)
    expect(one.tools).toHaveLength(1)
    await server.live()
    expect(calls(opened[0]?.link, 'tools/list')).toHaveLength(1)
    await server.refresh()
    expect(calls(opened[0]?.link, 'tools/list')).toHaveLength(2)
  })

  it('cannot be had from one that does not start, nor from one that was removed', async () => {
    const down = aServer(async () => Promise.reject(new Error('spawn x ENOENT')))
    await expect(down.server.live()).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    const { server } = aServer()
    await server.close()
    await expect(server.live()).rejects.toThrow('removed from the configuration')
    await expect(server.watch('a:b', aClient())).rejects.toThrow('removed from the configuration')
  })

  it('are those of the successor once there is one', async () => {
    const { server } = aServer()
    await server.live()
    const said: string[] = []
    const next = successor(said)
    await server.close(next)
    expect(server.listing).toBe(next.listing)
    await server.watch('a:b', aClient())
    expect(said).toEqual(['a:b'])
  })

  it('that wait for a start are asked of the successor', async () => {
    const { server } = aServer(starting)
    const waiting = server.live()
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

describe('a watched resource', () => {
  const watchable = () => aLink({ capabilities: { resources: {} } })

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
    server.release('x')
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
