import { expect, it } from 'vitest'
import { aClient, aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import { expose } from './expose.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { createBroken } from '../broken.ts'

it('loses no member of the server, and no argument', async () => {
  const asked: unknown[][] = []
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void asked.push([name, ...args])
  const upstream = anUpstream({
    id: 'echo#1',
    inProcess: { makesCalls: true, check: async () => undefined, rules: () => ({}) },
    credentials: () => 'key 1',
    listingFor: () => aListing('echo'),
    as: () => upstream,
    sessionChanged: note('sessionChanged'),
    close: async (...args) => note('close')(...args),
    list: async (...args) => (note('list')(...args), upstream.listing),
  })
  const outside = expose(upstream)
  expect(Object.keys(outside).toSorted()).toEqual(Object.keys(upstream).toSorted())
  const how = { client: aClient(), signal: new AbortController().signal, again: true }
  await outside.list(how)
  outside.sessionChanged('one', 'roots_changed')
  await outside.close(upstream)
  expect(asked).toEqual([
    ['list', how],
    ['sessionChanged', 'one', 'roots_changed'],
    ['close', upstream],
  ])
  expect(outside.inProcess).toMatchObject({ makesCalls: true })
  expect(outside.inProcess?.rules?.('t')).toEqual({})
  expect(outside.credentials?.()).toBe('key 1')
})

it('has no member that the server does not have', () => {
  const outside = expose(anUpstream())
  for (const member of ['as', 'inProcess', 'listingFor', 'credentials'])
    expect(outside).not.toHaveProperty(member)
})

it('is the same object for the same person, and follows what changes in the server', () => {
  let status: Upstream['status'] = { state: 'idle' }
  const ofAda = anUpstream({ name: 'a', description: "Ada's" })
  const outside = expose({
    ...anUpstream({ name: 'a', as: () => ofAda }),
    get status() {
      return status
    },
  })
  expect(outside.as?.('ada').description).toBe("Ada's")
  expect(outside.as?.('ada')).toBe(outside.as?.('ada'))
  status = { state: 'starting' }
  expect(outside.status).toBe(status)
})

it('passes on what the server is and what it is asked', async () => {
  const notified: string[] = []
  const asked: unknown[][] = []
  const upstream = anUpstream({
    status: { state: 'starting' },
    listing: aListing('a', ['t']),
    request: async (...args) => (asked.push(args), { content: ['x'] }),
    watch: async (...args) => (asked.push(args), () => undefined),
    onNotification: (listener) => (listener('notified', {}), () => void notified.push('stopped')),
  })
  const outside = expose(upstream)
  expect(outside.status).toEqual({ state: 'starting' })
  const client = aClient()
  const context = { signal: new AbortController().signal, client, agent: 'ada' }
  expect(await outside.request('tools/call', { name: 't' }, context)).toEqual({ content: ['x'] })
  await outside.watch('a:b', client)
  expect(asked).toEqual([
    ['tools/call', { name: 't' }, context],
    ['a:b', client],
  ])
  outside.onNotification((method) => notified.push(method))()
  expect(notified).toEqual(['notified', 'stopped'])
})

it('changes a listing once, whoever it is for, and another one again', async () => {
  const [one, other] = [aListing('a'), aListing('a', ['more'])]
  const outside = expose(
    anUpstream({ listing: one, list: async () => one, listingFor: () => other }),
  )
  const first = outside.listing
  expect(await outside.list()).toBe(first)
  expect(outside.listing).toBe(first)
  const own = outside.listingFor?.(aClient())
  expect(own).toMatchObject({ tools: [{ name: 'more' }] })
  expect(outside.listingFor?.(aClient())).toBe(own)
})

const SECRET = 'correct-horse-battery'

function hidden(more: Partial<Upstream>): Upstream {
  const secrets = new SecretValues()
  secrets.learn([SECRET])
  const server = { ...createBroken('one', undefined, `spawn ${SECRET} ENOENT`), ...more }
  return expose(server, { secrets })
}

async function thrown(error: unknown): Promise<unknown> {
  const upstream = hidden({ request: async () => Promise.reject(error) })
  return upstream.request('tools/call', {}, CONTEXT).catch((failure: unknown) => failure)
}

const CONTEXT = { signal: new Canceller(), client: aClient(), agent: 'ada' }

it('gives results as they are', async () => {
  const result = { content: [{ type: 'text', text: `password=${SECRET}` }] }
  expect(await hidden({ request: async () => result }).request('x', {}, CONTEXT)).toBe(result)
})

it('hides in the status of a server that is down', () => {
  expect(hidden({}).status).toMatchObject({ state: 'down', error: 'spawn [redacted] ENOENT' })
  expect(hidden({ status: { state: 'idle' } }).status).toEqual({ state: 'idle' })
})

it('hides known values in an error of the server, and leaves the rest of it alone', async () => {
  const data = { url: `https://a.example/?token=abc123&x=${SECRET}`, count: 1 }
  expect(await thrown(new RpcError(-32_042, `no ${SECRET}`, data))).toMatchObject({
    code: -32_042,
    message: 'no [redacted]',
    data: { url: 'https://a.example/?token=abc123&x=[redacted]', count: 1 },
  })
  const other = new RpcError(-32_042, 'token: abc123', { url: 'https://a.example/?token=abc123' })
  expect(await thrown(other)).toBe(other)
})

it('hides known values and what looks like a secret in a failure of our own', async () => {
  const details = { hint: `Open https://a.example/?state=${SECRET}`, retryAfterMs: 5, cause: 'why' }
  const failed = new GatewayError('SERVER_UNAVAILABLE', `${SECRET} password=hunter22`, details)
  expect(await thrown(failed)).toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: '[redacted] password=[redacted]',
    details: { hint: 'Open https://a.example/?state=[redacted]', retryAfterMs: 5, cause: 'why' },
  })
  const plain = new GatewayError('TIMEOUT', 'no answer')
  expect(await thrown(plain)).toBe(plain)
  expect(await thrown(new Error(`cannot read ${SECRET}`))).toMatchObject({
    message: 'cannot read [redacted]',
  })
  expect(await thrown('given up')).toBe('given up')
})

const fail = async () => Promise.reject(new Error(SECRET))

it('guards every way to a server', async () => {
  const upstream = hidden({ list: fail, watch: fail })
  for (const asked of [upstream.list(), upstream.watch('x', aClient())])
    await expect(asked).rejects.toThrow(/^\[redacted\]$/)
})

async function checked(check?: () => Promise<void>): Promise<void> {
  await hidden({ inProcess: { ...(check && { check }) } }).inProcess?.check?.()
}

it('hides what a check of the server says', async () => {
  await expect(checked(fail)).rejects.toThrow(/^\[redacted\]$/)
  await expect(checked(async () => undefined)).resolves.toBeUndefined()
  await expect(checked()).resolves.toBeUndefined()
})

it('hides what the server wrote, and keeps when', () => {
  const output = [
    { at: 1, text: `using ${SECRET}` },
    { at: 2, text: 'ready' },
  ]
  expect(hidden({ diagnostics: { restarts: 1, connections: 2, output } }).diagnostics).toEqual({
    restarts: 1,
    connections: 2,
    output: [
      { at: 1, text: 'using [redacted]' },
      { at: 2, text: 'ready' },
    ],
  })
})

it('hides known values in why a task failed, in answers and in messages', async () => {
  const error = { code: -32_603, message: `no ${SECRET}`, data: { url: SECRET } }
  const task = { taskId: '1', status: 'failed', statusMessage: SECRET, error }
  const clean = { code: -32_603, message: 'no [redacted]', data: { url: '[redacted]' } }
  const onNotification: Upstream['onNotification'] = (listener) => {
    listener('notifications/tasks', task)
    return () => undefined
  }
  const server = hidden({ request: async () => task, onNotification })
  const expected = { ...task, statusMessage: '[redacted]', error: clean }
  expect(await server.request('tasks/get', {}, CONTEXT)).toEqual(expected)
  const heard: unknown[] = []
  server.onNotification((_, params) => heard.push(params))
  expect(heard).toEqual([expected])
  const done = { taskId: '1', status: 'completed', result: { text: SECRET } }
  const other = hidden({ request: async () => done })
  expect(await other.request('tasks/get', {}, CONTEXT)).toBe(done)
})
it('hides a secret that stands in one part of an error only', async () => {
  const cause = new Error('why')
  expect(
    await thrown(new RpcError(-32_000, `no ${SECRET}`, { count: 1 }, { cause })),
  ).toMatchObject({ message: 'no [redacted]', data: { count: 1 }, cause })
  expect(await thrown(new RpcError(-32_000, 'no', { url: SECRET }))).toMatchObject({
    message: 'no',
    data: { url: '[redacted]' },
  })
  expect(await thrown(new RpcError(-32_000, `no ${SECRET}`))).toMatchObject({ data: undefined })
  const hint = new GatewayError('TIMEOUT', 'no answer', { hint: `Ask ${SECRET}` })
  expect(await thrown(hint)).toMatchObject({
    message: 'no answer',
    details: { hint: 'Ask [redacted]' },
  })
  const data = new GatewayError('TIMEOUT', 'no answer', { data: { output: [SECRET, 'x'] } })
  expect(await thrown(data)).toMatchObject({ details: { data: { output: ['[redacted]', 'x'] } } })
  const plain = new GatewayError('TIMEOUT', `no ${SECRET}`)
  const clean = await thrown(plain)
  expect(clean).toMatchObject({ message: 'no [redacted]' })
  expect(clean).not.toHaveProperty('details.data')
})

it('passes on as it is what holds no secret', async () => {
  const plain = new Error('cannot read the file')
  expect(await thrown(plain)).toBe(plain)
  const dirty = new Error(SECRET)
  expect(await thrown(dirty)).toMatchObject({ cause: dirty })
})
