import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { upstreamsOf } from '../support/children-of.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'

type Era = 'legacy' | 'modern'

/** A client that gives its own name when its user is asked for one. */
async function aClient({ connect }: Opened, era: Era, name: string): Promise<RawClient> {
  const client = await connect({ era })
  client.answers['elicitation/create'] = { action: 'accept', content: { name } }
  return client
}

const named = (name: string) => ({ answer: { action: 'accept', content: { name } } })

async function ask(client: RawClient, tool = 'ask_elicitation') {
  return structured(await call(client, tool))
}

describe.each<[Era, Era]>([
  ['legacy', 'legacy'],
  ['modern', 'modern'],
  ['legacy', 'modern'],
])('the first question ever of a server that a %s and a %s client share', (era, other) => {
  it('reaches the one whose call it belongs to', async () => {
    const gateway = await openGateway({ servers: { one: stdioUpstream() } })
    const [busy, asked] = [
      await aClient(gateway, era, 'busy'),
      await aClient(gateway, other, 'asked'),
    ]
    await call(busy, 'echo')
    const slow = call(busy, 'slow', { ms: 600 })
    await sleep(100)
    expect(await ask(asked)).toEqual(named('asked'))
    expect(textOf(await slow)).toBe('slept 600 ms')
  })
})

it('clients without sessions are each asked what their own calls ask, however many at once', async () => {
  const gateway = await openGateway({
    servers: { one: stdioUpstream() },
    settings: { upstreams: { releaseMs: 500 } },
  })
  const names = ['ada', 'bob', 'eve']
  const clients = await Promise.all(names.map(async (name) => aClient(gateway, 'modern', name)))
  const [first] = clients
  if (first) await ask(first)
  const heard = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const client = clients[n % clients.length]
      return client && { name: names[n % names.length], answer: await ask(client) }
    }),
  )
  for (const one of heard) expect(one?.answer).toEqual(named(one?.name ?? ''))
  // The connections that were opened for them are gone again.
  await expect.poll(() => upstreamsOf(gateway).length).toBe(1)
})

it('a session that stays on the shared connection is asked what is its own, however busy another is', async () => {
  const gateway = await openGateway({ servers: { one: stdioUpstream() } })
  const [busy, asked] = [
    await aClient(gateway, 'legacy', 'busy'),
    await aClient(gateway, 'legacy', 'asked'),
  ]
  for (const client of [busy, asked]) await call(client, 'echo')
  const done = new AbortController()
  /** Of different lengths, so that a call of theirs is always under way. */
  const keepBusy = async (ms: number) => {
    while (!done.signal.aborted) await call(busy, 'slow', { ms })
  }
  const work = [170, 290, 410, 530].map(keepBusy)
  for (let n = 0; n < 3; n += 1) expect(await ask(asked)).toEqual(named('asked'))
  done.abort()
  await Promise.all(work)
  expect(upstreamsOf(gateway)).toHaveLength(1)
})

it.each(['legacy', 'modern'] as const)(
  'what a server over HTTP asks outside of any call reaches the %s client that alone waits',
  async (era) => {
    const upstream = await startHttpUpstream('--era', 'legacy')
    onTestFinished(async () => upstream.close())
    const gateway = await openGateway({ servers: { far: { url: upstream.url } } })
    const client = await aClient(gateway, era, 'ada')
    await toolNames(client)
    expect(await ask(client, 'outside_question')).toEqual(named('ada'))
  },
)

it('a call that waits for a person keeps no other agent from its server', async () => {
  const gateway = await openGateway({
    servers: { one: { ...stdioUpstream(), max_concurrency: 1 }, two: stdioUpstream() },
    settings: { deadlines: { callMs: 3000 } },
  })
  const low = await gateway.connect({ era: 'modern', headers: { 'x-agent-id': 'low' } })
  const boss = await gateway.connect({ era: 'modern', headers: { 'x-agent-id': 'boss' } })
  // Asked once without an answer, so that the call goes on waiting.
  const asked = await low.text('tools/call', { name: 'one__ask_elicitation', arguments: {} })
  expect(asked).toContain('input_required')
  for (const text of ['first', 'second'])
    expect(textOf(await call(boss, 'one__echo', { text }))).toBe(text)
  // To its own agent it counts: that one would get to no end of connections otherwise.
  expect(textOf(await call(low, 'one__echo'))).toContain('timed out after 3000ms')
  expect(textOf(await call(low, 'two__echo', { text: 'other' }))).toBe('other')
  expect(textOf(await call(boss, 'one__echo', { text: 'third' }))).toBe('third')
})
