import { describe, expect, it } from 'vitest'
import { aCall, aClient } from '../../test/support/a-call.ts'
import { deferred } from '../../test/support/deferred.ts'
import { Canceller } from '../base/flow/signal.ts'
import { ExactNumber } from '../base/json/exact-json.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Service, ServiceContext } from '../protocol/service.ts'
import { SKILLS_EXTENSION } from '../protocol/skills.ts'
import { messageOf } from '../base/errors.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { createInProcess } from './in-process.ts'

/** What a server says of its data and of its tools `read` and `write`, and what is wrong with it. */
const said = async ({ inProcess }: Upstream) => [
  await inProcess?.isEmpty?.(),
  inProcess?.rules?.('read'),
  inProcess?.rules?.('write'),
  await inProcess?.check?.().catch(messageOf),
]

/** A service whose tools are whatever `list` says, or throws. */
function aService(list: () => string[]) {
  let tell: ((method: string, params: JsonObject) => void) | undefined
  const service: Service = {
    info: { name: 'here', version: '1' },
    capabilities: { tools: { listChanged: true } },
    async handle() {
      return { tools: list().map((name) => ({ name })) }
    },
    onNotification: (listener) => {
      tell = listener
      return () => undefined
    },
    close: async () => undefined,
  }
  const upstream = createInProcess({
    name: 'here',
    description: undefined,
    open: async () => service,
  })
  return { upstream, change: () => tell?.('notifications/tools/list_changed', {}) }
}

it('tells of a changed list when the new one is there', async () => {
  let tools = ['a']
  const { upstream, change } = aService(() => tools)
  await upstream.list()
  const seen = new Promise<string[]>((resolve) => {
    upstream.onNotification(() => resolve(upstream.listing.tools.map(({ name }) => name)))
  })
  tools = ['a', 'b']
  change()
  expect(await seen).toEqual(['a', 'b'])
})

it('goes on with the list it has when the new one cannot be had', async () => {
  let tools: string[] | undefined = ['a']
  const { upstream, change } = aService(() => {
    if (!tools) throw new Error('not now')
    return tools
  })
  await upstream.list()
  tools = undefined
  change()
  expect((await upstream.list()).tools).toMatchObject([{ name: 'a' }])
})

it.each([
  ['in-process', 9007199254740992],
  ['openapi', new ExactNumber('9007199254740993')],
] as const)(
  'gives numbers beyond a double to a server of kind %s as %o',
  async (kind, expected) => {
    const seen: unknown[] = []
    const received: unknown[] = []
    const upstream = createInProcess({
      name: 'here',
      kind,
      description: undefined,
      open: async () => ({
        info: { name: 'here', version: '1' },
        capabilities: {},
        async handle(_method, params, context) {
          seen.push(params['id'])
          context.progress({ progress: 1 })
          return {}
        },
        close: async () => undefined,
      }),
    })
    const { upstream: _, ...call } = aCall({})
    const client = {
      ...call.client,
      notify: (_method: string, params: JsonObject) => void received.push(params['progressToken']),
    }
    const token = new ExactNumber('12345678901234567890')
    const params = { id: new ExactNumber('9007199254740993'), _meta: { progressToken: token } }
    await upstream.request('tools/call', params, { ...call, client, agent: 'ada' })
    expect(seen).toEqual([undefined, expected])
    expect(received).toEqual([token])
  },
)

const INFO = { name: 'here', version: '1' }

function aServer(parts: Partial<Service>, open: (service: Service) => Promise<Service>) {
  const service: Service = {
    info: INFO,
    capabilities: {},
    handle: async () => ({}),
    close: async () => undefined,
    ...parts,
  }
  return createInProcess({ name: 'here', description: 'about', open: async () => open(service) })
}

const opened = (parts: Partial<Service>) => aServer(parts, async (service) => service)

describe('a server of this process', () => {
  it('is opened once, on first use, and closed with the gateway', async () => {
    const closed: string[] = []
    let times = 0
    const close = async () => void closed.push('closed')
    const upstream = aServer({ close }, async (service) => (times++, service))
    expect([upstream.status, times, upstream.kind]).toEqual([{ state: 'idle' }, 0, 'in-process'])
    await Promise.all([upstream.list(), upstream.list()])
    expect(upstream.status).toEqual({ state: 'ready', era: 'modern', since: expect.any(Number) })
    expect(times).toBe(1)
    await upstream.close()
    expect([upstream.status, closed]).toEqual([{ state: 'closed' }, ['closed']])

    const unused = aServer({ close }, async (service) => (times++, service))
    await unused.close()
    expect([times, closed.length]).toEqual([1, 1])
  })

  it('that cannot be opened is down, and is tried again by the next call', async () => {
    let fails = true
    const begun = deferred<void>()
    const upstream = aServer({ isEmpty: async () => true }, async (service) => {
      await begun.promise
      if (fails) throw new Error('its database is locked')
      return service
    })
    const first = upstream.list().catch((error: unknown) => error)
    expect(upstream.status).toEqual({ state: 'starting' })
    begun.resolve()
    expect(await first).toMatchObject({ message: 'its database is locked' })
    expect(upstream.status).toMatchObject({ state: 'down', error: 'its database is locked' })
    expect(await upstream.inProcess?.isEmpty?.()).toBe(false)
    fails = false
    expect((await upstream.list()).serverInfo).toEqual(INFO)
    expect(await upstream.inProcess?.isEmpty?.()).toBe(true)
    await upstream.close()
  })

  it('is closed without an error where it could not be opened', async () => {
    const upstream = aServer({}, async () => Promise.reject(new Error('no')))
    const failing = upstream.list().catch(() => undefined)
    await expect(upstream.close()).resolves.toBeUndefined()
    await failing
  })

  it('says itself what it keeps and how its results are treated, once it is open', async () => {
    const upstream = opened({
      isEmpty: async () => true,
      check: async () => Promise.reject(new Error('damaged')),
      rules: (tool) => (tool === 'read' ? { maxTokens: 7 } : undefined),
    })
    expect(await said(upstream)).toEqual([false, undefined, undefined, undefined])
    await upstream.list()
    expect(await said(upstream)).toEqual([true, { maxTokens: 7 }, undefined, 'damaged'])
    const plain = opened({})
    await plain.list()
    expect(await said(plain)).toEqual([false, undefined, undefined, undefined])
  })
})

const LISTS: Record<string, JsonObject> = {
  'tools/list': { tools: [{ name: 't', annotations: { readOnlyHint: true } }, 'nonsense'] },
  'prompts/list': { prompts: [{ name: 'p' }] },
  'resources/list': { resources: [{ uri: 'a:b' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a:{b}' }] },
  'skills/list': { skills: [{ uri: 'skill:a' }] },
}

async function listed(capabilities: JsonObject) {
  const asked: string[] = []
  const upstream = opened({
    capabilities,
    instructions: 'Read first.',
    handle: async (method) => (asked.push(method), LISTS[method] ?? {}),
  })
  return { asked, listing: await upstream.list() }
}

describe('the listing of a server of this process', () => {
  it('has all that the server declares', async () => {
    const capabilities = {
      tools: {},
      prompts: {},
      resources: {},
      extensions: { [SKILLS_EXTENSION]: {} },
    }
    const { listing } = await listed(capabilities)
    expect(listing).toEqual({
      tools: [{ server: 'here', name: 't', definition: expect.anything(), readOnly: true }],
      prompts: [{ name: 'p' }],
      resources: [{ uri: 'a:b', name: 'a:b' }],
      resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'a:{b}' }],
      skills: [{ uri: 'skill:a' }],
      leftOut: [{ kind: 'tool', name: '', reason: 'it is no object' }],
      capabilities,
      instructions: 'Read first.',
      serverInfo: INFO,
    })
  })

  it('asks for nothing that the server does not declare, but for tools always', async () => {
    const { asked, listing } = await listed({})
    expect(asked).toEqual(['tools/list'])
    expect(listing).toMatchObject({ prompts: [], resources: [], resourceTemplates: [] })
    expect(listing.skills).toBeUndefined()
  })

  it('is asked for by nobody in particular', async () => {
    const contexts: ServiceContext[] = []
    const handle: Service['handle'] = async (_method, _params, context) => (
      contexts.push(context),
      {}
    )
    await opened({ handle }).list()
    expect(contexts).toMatchObject([{ agent: undefined, isRemote: false, headers: {} }])
    expect(contexts[0]?.signal.aborted).toBe(false)
    expect(await contexts[0]?.project()).toEqual({ path: process.cwd(), source: 'cwd' })
    expect(() => contexts[0]?.progress({ progress: 1 })).not.toThrow()
  })
})

it('tells of what it says to whoever listens, and to nobody else', async () => {
  let tell: ((method: string, params: JsonObject) => void) | undefined
  const asked: string[] = []
  const upstream = opened({
    handle: async (method) => (asked.push(method), {}),
    onNotification: (listener) => ((tell = listener), () => undefined),
  })
  await upstream.list()
  const heard: unknown[] = []
  const stop = upstream.onNotification((method, params) => heard.push([method, params]))
  tell?.('notifications/resources/updated', { uri: 'a:b' })
  expect(heard).toEqual([['notifications/resources/updated', { uri: 'a:b' }]])
  expect(asked, 'a changed resource is no changed list').toEqual(['tools/list'])
  stop()
  tell?.('notifications/resources/updated', { uri: 'a:c' })
  expect(heard).toHaveLength(1)
})

/** What a tool gets to know of the call `parts`. */
async function contextOf(parts: Parameters<typeof aCall>[0], params: JsonObject = {}) {
  let received: ServiceContext | undefined
  const upstream = opened({
    async handle(_method, _params, context) {
      received = context
      return {}
    },
  })
  const call = aCall(parts)
  await upstream.request('tools/call', params, { ...call, agent: call.agent.id })
  if (!received) throw new Error('not called')
  return received
}

describe('a tool of this process knows', () => {
  it.each([
    ['http', true],
    ['ws', true],
    ['stdio', false],
    ['in-process', false],
  ] as const)('whether its caller is remote: over %s, %s', async (transport, isRemote) => {
    expect((await contextOf({ client: aClient({ transport }) })).isRemote).toBe(isRemote)
  })

  it('who calls, from where, in which trace', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const client = aClient({
      headers: { 'x-a': '1', traceparent },
      project: async () => ({ path: '/work', source: 'roots' }),
    })
    const context = await contextOf({ client, agent: { id: 'bob', proof: 'key' } })
    expect(context).toMatchObject({ agent: 'bob', headers: { 'x-a': '1' }, trace: { traceparent } })
    expect(await context.project()).toEqual({ path: '/work', source: 'roots' })
  })

  it('how long its caller waits, and when the caller has gone', async () => {
    const canceller = new Canceller()
    const context = await contextOf({ signal: canceller })
    expect(context.timeLeftMs?.()).toBeUndefined()
    canceller.deadlineAt = performance.now() + 100_000
    expect(context.timeLeftMs?.()).toBeGreaterThan(40_000)
    expect(context.timeLeftMs?.()).toBeLessThanOrEqual(100_000)
    const { signal } = context
    expect([signal.aborted, context.signal]).toEqual([false, signal])
    canceller.abort(new Error('left'))
    expect([signal.aborted, signal.reason]).toMatchObject([true, { message: 'left' }])
  })

  it('and tells of its progress those that asked for it', async () => {
    const received: unknown[] = []
    const notify = (method: string, params: JsonObject) => void received.push([method, params])
    const update = { progress: 1, total: 2, message: 'half' }
    const silent = await contextOf({ client: aClient({ notify }) }, { _meta: {} })
    silent.progress(update)
    expect(received).toEqual([])
    const meta = { _meta: { progressToken: 7 } }
    const listens = await contextOf({ client: aClient({ notify }) }, meta)
    listens.progress(update)
    expect(received).toEqual([['notifications/progress', { ...update, progressToken: 7 }]])
  })
})
