import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { aClient, aListing, anUpstream } from '../../../test/support/a-call.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Client } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { CleanValues } from './clean-values.ts'
import { createReplayed } from './create-replayed.ts'
import { createCompare } from './match-call.ts'
import { Player } from './player.ts'
import { Recorder } from './recorder.ts'
import { readTape } from './tape.ts'

const NO_RULES = { ignore: [], times: false }
const clean = (secrets: readonly string[] = []) => {
  const known = new SecretValues()
  known.learn(secrets)
  return new CleanValues(known)
}

/** Records what `use` does with a server, and returns the tape with a server that replays it. */
async function taped(server: Partial<Upstream>, use: (recorded: Upstream) => Promise<unknown>) {
  const path = tempFolder().file('tape.jsonl')
  const listing = { ...aListing('echo', ['say']), serverInfo: { name: 'echo' } }
  const recorder = new Recorder({ path, failed: () => undefined }, clean())
  await use(recorder.record(anUpstream({ listing, ...server })))
  recorder.close()
  const player = new Player(readTape(path), clean(), NO_RULES)
  const replayed = createReplayed({ name: 'echo', description: undefined, player })
  return { path, text: readFileSync(path, 'utf8'), player, replayed }
}

const ask = async (server: Upstream, args: JsonObject, client: Client = aClient()) =>
  server
    .request(
      'tools/call',
      { name: 'say', arguments: args },
      { client, agent: 'ada', signal: new AbortController().signal },
    )
    .catch((error: unknown) => error)

it.each([
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 'key [redacted] is' }, { a: 'key x1y2 is' }, true],
  [{ a: 'key [redacted] is' }, { a: 'key x1y2 was' }, false],
  [{ a: '[redacted]-[redacted]' }, { a: 'x-y' }, true],
  [{ a: '[redacted]' }, { a: 7 }, false],
  [{ at: '2026-11-19T10:00:00Z' }, { at: '2027-01-01T00:00:00Z' }, false],
])('%o and %o are the same: %s', (recorded, given, isSame) => {
  expect(createCompare(NO_RULES)(recorded, given)).toBe(isSame)
})

it('ignores paths and times where the rules say so, and nothing else', () => {
  const compare = createCompare({ ignore: ['query.*Id', 'list.*.at'], times: true })
  expect(compare({ query: { userId: 1 } }, { query: { userId: 2 } })).toBe(true)
  expect(compare({ query: { user: 1 } }, { query: { user: 2 } })).toBe(false)
  expect(compare({ list: [{ at: 1 }] }, { list: [{ at: 2 }] })).toBe(true)
  expect(compare({ at: '2026-11-19T10:00:00Z' }, { at: '2027-01-01 00:00' })).toBe(true)
  expect(compare({ at: '2026-11-19T10:00:00Z' }, { at: 'tomorrow' })).toBe(false)
})

it('hides a secret in every form once it is recognised, and no ordinary text', () => {
  const values = clean(['violet-canyon-4471'])
  const token = `ghp_${'a1B2'.repeat(9)}`
  const encoded = Buffer.from(`key: ${token}`).toString('base64')
  const text = JSON.stringify([
    values.clean({ password: 'hunter2-orchard', auth: { token } }),
    values.clean({ text: `hunter2-orchard ${token} violet-canyon-4471`, [token]: encoded }),
  ])
  for (const secret of ['hunter2', 'ghp_', 'violet', encoded]) expect(text).not.toContain(secret)
  expect(clean().clean(encoded)).not.toBe(encoded)
  const plain = {
    key: 'user:1',
    text: 'The password is asked for',
    data: 'iVBORw0KGgoAAAANSUhEUg==',
  }
  expect(values.clean(plain)).toEqual(plain)
})

/** Asks its client before it answers. */
const asking: Upstream['request'] = async (_method, _params, { client }) => {
  const { name } = await client.request('elicitation/create', { message: 'Who?' })
  client.notify('notifications/message', { level: 'info', data: `it is ${String(name)}` })
  return { content: [{ type: 'text', text: `hello ${String(name)}` }] }
}

const as = (name: string, said: unknown[] = []) =>
  aClient({ request: async () => ({ name }), notify: (...each) => said.push(each) })

it('an answer that depends on what the client answers is that of the recorded answer', async () => {
  const { replayed, player } = await taped({ request: asking }, async (server) => {
    for (const name of ['Ada', 'Bob']) await ask(server, {}, as(name))
  })
  const said: unknown[] = []
  expect(await ask(replayed, {}, as('Eve'))).toMatchObject({ code: 'NOT_RECORDED' })
  expect(await ask(replayed, {}, as('Bob', said))).toMatchObject({
    content: [{ text: 'hello Bob' }],
  })
  expect(said).toEqual([['notifications/message', { level: 'info', data: 'it is Bob' }]])
  expect(await ask(replayed, {}, as('Ada'))).toMatchObject({ content: [{ text: 'hello Ada' }] })
  expect(player.misses).toHaveLength(1)
})

it('failures of servers and of the gateway are recorded; a cancelled call is not', async () => {
  const failures = [
    new RpcError(-32_042, 'refused', { why: 1 }),
    new GatewayError('SERVER_UNAVAILABLE', 'it is down', { hint: 'Start it.' }),
  ]
  const request = async (): Promise<never> => {
    throw failures.shift() ?? new Error('cancelled')
  }
  const { text, replayed } = await taped({ request }, async (server) => {
    await ask(server, { a: 1 })
    await ask(server, { a: 2 })
    const signal = AbortSignal.abort()
    const context = { client: aClient(), agent: 'ada', signal }
    await server.request('tools/call', { name: 'say' }, context).catch(() => undefined)
  })
  expect(text.match(/"call"/g)).toHaveLength(2)
  expect(await ask(replayed, { a: 1 })).toMatchObject({ code: -32_042, data: { why: 1 } })
  expect(await ask(replayed, { a: 2 })).toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    details: { hint: 'Start it.' },
  })
})

/** A server as one person has it, which says who that is. */
const own = (person: string) =>
  anUpstream({ request: async () => ({ content: [{ type: 'text', text: person }] }) })

it('what people have of a server by their own sign-ins is recorded too, each view once', async () => {
  const { text, replayed } = await taped({ as: own }, async (server) => {
    expect(server.as?.('ada')).toBe(server.as?.('ada'))
    for (const person of ['ada', 'bob'])
      await ask(server.as?.(person) ?? server, {}, aClient({ session: person }))
  })
  expect(text.match(/"call"/g)).toHaveLength(2)
  for (const person of ['ada', 'bob'])
    expect(await ask(replayed, {}, aClient({ session: person }))).toMatchObject({
      content: [{ text: person }],
    })
})

it('a server that passes its calls on to its successor records them once', async () => {
  const path = tempFolder().file('tape.jsonl')
  const recorder = new Recorder({ path, failed: () => undefined }, clean())
  const next = recorder.record(anUpstream())
  const first = recorder.record(
    anUpstream({ request: async (...request) => next.request(...request) }),
  )
  await ask(first, {})
  recorder.close()
  expect(readFileSync(path, 'utf8').match(/"call"/g)).toHaveLength(1)
})

it.each([
  ['{"recorded":"now"}', ':1: a tape begins with {"tape":1}'],
  ['{"tape":1}\n{"server":"a"}', ':2: it needs a "listing", a "notify", or a "call"'],
  ['{"tape":1}\n{oops\n{"server":"a","listing":{}}', ':2: '],
  ['{"tape":1}\n{"call":"tools/call","result":{}}', ':2: it has no "server"'],
])('a tape with a mistake names the line: %s', (text, message) => {
  const path = tempFolder().write('tape.jsonl', text)
  expect(() => readTape(path)).toThrow(message)
})
