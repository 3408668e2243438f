import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, refusal, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { openStdio } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { type Opened } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'
import { SERVERS, record, replay, tapeOf } from '../support/tapes.ts'

/** What clients of both eras get of all that a server does. */
async function story(gateway: Opened): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const era of ['legacy', 'modern'] as const) {
    const client = await gateway.connect({ era })
    for (const server of ['notes', 'files'])
      await expect.poll(async () => toolNames(client)).toContain(`${server}__echo`)
    for (const list of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
      seen.push(await client.request(list))
    for (const [name, args] of CALLS) {
      const progress: unknown[] = []
      const onProgress = ({ progress: done, total, message }: JsonObject) =>
        progress.push({ done, total, message })
      const params = { name: `notes__${name}`, arguments: args }
      const answer = client.request('tools/call', params, { onProgress })
      seen.push([await answer.catch(refusalOf), progress])
    }
    seen.push(
      await readFirst(client),
      await client.request('prompts/get', { name: 'notes__plain' }).catch(refusalOf),
    )
  }
  return seen
}

const refusalOf = async (error: unknown) => refusal(Promise.reject(error))

const CALLS: readonly (readonly [string, JsonObject])[] = [
  ['echo', { text: 'hello' }],
  ['odd', {}],
  ['linked', {}],
  ['fail', { text: 'no' }],
  ['rpc_error', { message: 'refused', data: { why: 1 } }],
  ['slow', { ms: 40, steps: 4 }],
  ['ask_elicitation', { message: 'Your name?' }],
  ['ask_sampling', { prompt: 'Say it' }],
]

async function readFirst(client: RawClient) {
  const { resources } = await client.request('resources/list')
  const [first]: { uri: string }[] = Array.isArray(resources) ? resources : []
  return client.request('resources/read', { uri: first?.uri })
}

it('a tape answers clients of both eras with all that was recorded, and starts nothing', async () => {
  const recorded = await record()
  const before = await story(recorded)
  const replayed = await replay(recorded)
  expect(await story(replayed)).toEqual(before)
  expect(existsSync(replayed.folder.file('started'))).toBe(false)
  await replayed.close()
  expect(replayed.child.exitCode).toBe(0)
})

it('a call that was not recorded fails with the nearest one and what differs', async () => {
  const recorded = await record()
  await call(await recorded.connect(), 'notes__echo', { text: 'one' })
  const replayed = await replay(recorded)
  const client = await replayed.connect()
  const answer = textOf(await call(client, 'notes__echo', { text: 'two' }))
  expect(answer).toContain('line ')
  expect(answer).toMatch(/- +"text": "one"\n\+ +"text": "two"/)
  expect(textOf(await call(client, 'notes__big', { bytes: 2 }))).toContain(
    'nothing with this name was recorded',
  )
  await replayed.close()
  expect(replayed.child.exitCode).toBe(1)
  expect(replayed.log()).toContain('ERROR: The tape tape.jsonl has no such call of notes: echo')
})

it('the command that a tape is replayed for reaches it over stdio and by portolan call', async () => {
  const recorded = await record()
  await call(await recorded.connect(), 'notes__echo', { text: 'one' })
  await recorded.close()
  const { folder } = recorded
  const replaying = ['replay', 'tape.jsonl', '--surface', 'direct', '--', process.execPath, MAIN]
  const run = async (...words: string[]) => runBuilt(folder, [...replaying, ...words])
  expect(await run('call', 'notes__echo', 'text=one')).toMatchObject({ code: 0, stdout: 'one\n' })
  expect(await run('call', 'notes__echo', 'text=two')).toMatchObject({ code: 1 })
  for (const era of ['legacy', 'modern'] as const) {
    const client = await openStdio(era, {
      command: process.execPath,
      args: [MAIN, ...replaying, '--surface', 'direct'],
      cwd: folder.path,
      env: gatewayEnv(folder),
    })
    expect(textOf(await call(client, 'notes__echo', { text: 'one' }))).toBe('one')
    await client.close()
  }
  expect(existsSync(folder.file('started'))).toBe(false)
})

const base64 = (text: string) => Buffer.from(`{"is":"${text}"}`).toString('base64')

const touch = async (client: RawClient) =>
  textOf(await call(client, 'notes__touch', { uri: 'test://text' }))

/** The processes that answer two clients, which call in this order. */
const pids = async (gateway: Opened, order: string) => {
  const clients: Record<string, RawClient> = {
    a: await gateway.connect(),
    b: await gateway.connect(),
  }
  const seen: Record<string, unknown[]> = { a: [], b: [] }
  for (const name of order) {
    const client = clients[name]
    if (client) seen[name]?.push(structured(await call(client, 'notes__whoami'))['pid'])
  }
  return seen
}

const addTool = async (gateway: Opened) => {
  const client = await gateway.connect()
  await expect.poll(async () => toolNames(client)).toContain('notes__add_tool')
  const names = [await toolNames(client)]
  await call(client, 'notes__add_tool', { name: 'fresh' })
  await expect.poll(async () => toolNames(client)).toContain('notes__fresh')
  names.push(await toolNames(client))
  return [names, await call(client, 'notes__fresh', { text: 'new' }), client.heard.length > 0]
}

const readLarge = async (gateway: Opened) => {
  const client = await gateway.connect({ query: 'surface=discover' })
  const args = { server: 'notes', tool: 'big', args: { bytes: 200_000 } }
  const cut = textOf(await call(client, 'execute_tool', args))
  const [handle] = /res_[\w-]+/.exec(cut) ?? []
  const whole = textOf(await call(client, 'read_result', { handle, offset: 150_000 }))
  return [cut.length, whole.length]
}

/** A text as base64 writes it alone and after one and two other bytes, without its ends. */
const encoded = (text: string) =>
  ['', 'x', 'xy'].map((before) =>
    Buffer.from(before + text)
      .toString('base64')
      .slice(4, -4),
  )

it('no secret is on a tape: neither those of the configuration, nor what looks like one or is named so', async () => {
  const secrets = {
    configured: 'violet-canyon-4471',
    shaped: `ghp_${'a1B2c3D4'.repeat(5)}`,
    named: 'hunter2-orchard',
  }
  const { configured, shaped, named } = secrets
  const servers = {
    notes: { ...stdioUpstream(), env: { API_KEY: configured } },
    files: stdioUpstream(),
  }
  const recorded = await record({ servers })
  const client = await recorded.connect()
  const args: JsonObject[] = [
    // Before it is known that this is a password.
    { text: `the word is ${named}` },
    { text: `use ${shaped} now` },
    { text: base64(shaped), more: { [shaped]: configured } },
    { login: { password: named }, text: 'let me in' },
    { text: `again: ${named}, ${base64(named)}` },
    { text: `${configured} and ${base64(configured)}`, url: `https://a.example/?q=${configured}` },
  ]
  const answers: string[] = []
  for (const each of args) answers.push(textOf(await call(client, 'notes__echo', each)))
  await call(client, 'notes__whoami')
  const failing = { message: `no ${configured}`, data: { shaped, named } }
  await refusal(call(client, 'notes__rpc_error', failing))
  const replayed = await replay(recorded)
  const tape = tapeOf(replayed)
  for (const secret of Object.values(secrets))
    for (const trace of [secret, ...encoded(secret)]) expect(tape).not.toContain(trace)
  // What is hidden stands for any text.
  const again = await replayed.connect()
  for (const each of args)
    expect((await call(again, 'notes__echo', each))['isError']).toBeUndefined()
})

it('equal calls are answered in the recorded order, and only what reads may be called again', async () => {
  const recorded = await record()
  const before = await recorded.connect()
  const texts = [await touch(before), await touch(before)]
  await call(before, 'notes__echo', { text: 'one' })
  const replayed = await replay(recorded)
  const client = await replayed.connect()
  expect([await touch(client), await touch(client)]).toEqual(texts)
  expect(await touch(client)).toContain('recorded 2 times, and this is one call more')
  for (const _ of [1, 2, 3])
    expect(textOf(await call(client, 'notes__echo', { text: 'one' }))).toBe('one')
})

it('two clients get their own answers of a server that each has for itself', async () => {
  const servers = { notes: { ...stdioUpstream(), session: 'per-session' } }
  const recorded = await record({ servers })
  const before = await pids(recorded, 'abba')
  expect(new Set(Object.values(before).flat()).size).toBe(2)
  const replayed = await replay(recorded)
  expect(await pids(replayed, 'aabb')).toEqual(before)
})

it('what a server adds while it runs is added at the same point of the tape', async () => {
  const recorded = await record()
  const before = await addTool(recorded)
  expect(await addTool(await replay(recorded))).toEqual(before)
})

it('a large result is stored and read as it was when it was recorded', async () => {
  const recorded = await record()
  const before = await readLarge(recorded)
  expect(await readLarge(await replay(recorded))).toEqual(before)
})

it('what is missing is asked of the real server and recorded, where that is wanted', async () => {
  const recorded = await record()
  await call(await recorded.connect(), 'notes__echo', { text: 'one' })
  const adding = await replay(recorded, { servers: SERVERS, args: ['--record-missing'] })
  const client = await adding.connect()
  for (const text of ['one', 'two'])
    expect(textOf(await call(client, 'notes__echo', { text }))).toBe(text)
  expect(textOf(await call(client, 'files__echo', { text: 'x' }))).toBe('x')
  const replayed = await replay(adding)
  const again = await replayed.connect()
  for (const text of ['one', 'two'])
    expect(textOf(await call(again, 'notes__echo', { text }))).toBe(text)
  expect(textOf(await call(again, 'files__echo', { text: 'x' }))).toBe('x')
})

it('arguments may differ where the tape or a flag says so, and texts be replaced', async () => {
  const recorded = await record({ args: ['--replace', 'ada@example.com=user@example.com'] })
  const args = { text: 'by ada@example.com', at: '2026-11-19T10:00:00Z', id: 1 }
  await call(await recorded.connect(), 'notes__echo', args)
  expect(tapeOf(recorded)).not.toContain('ada@')
  const rules = ['--times', '--ignore', 'i?', '--replace', 'ada@example.com=user@example.com']
  const replayed = await replay(recorded, { args: rules })
  const client = await replayed.connect()
  const later = { ...args, at: '2027-01-01T09:30:00+01:00', id: 2 }
  expect(textOf(await call(client, 'notes__echo', later))).toBe('by user@example.com')
  const other = { ...later, text: 'by bob@example.com' }
  expect(await call(client, 'notes__echo', other)).toMatchObject({ isError: true })
})
