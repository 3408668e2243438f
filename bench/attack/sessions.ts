import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../src/base/json/json.ts'
import { OAuthClient } from '../../test/support/sign-in/oauth-client.ts'
import { withKey } from '../../test/support/sign-in/signing-client.ts'
import { rssMb } from '../load/processes.ts'
import type { Attack, Field } from './report.ts'
import { Rig } from './rig.ts'

type Headers = Readonly<Record<string, string>>

const MAX_SESSION_ID = 2_048
const DAY_MS = 86_400_000
const AGENTS = { ada: { allow: { servers: ['*'] } }, eve: { allow: { servers: ['*'] } } }
const SETTINGS = { auth: { required: true, server: { enabled: true } } }

/** Ids of sessions that are forged, changed, somebody else's, ended, expired or far too large. */
export const sessions: Attack = {
  name: 'ids of sessions',
  async run(field) {
    const clock = join(mkdtempSync(join(tmpdir(), 'portolan-sessions-')), 'offset')
    writeFileSync(clock, '0')
    const env = {
      CLOCK_OFFSET_FILE: clock,
      NODE_OPTIONS: `--require ${join(import.meta.dirname, 'clock.cjs')}`,
    }
    const options = { rules: { agents: AGENTS }, settings: SETTINGS }
    const [rig, other] = [await Rig.open({ ...options, env }), await Rig.open(options)]
    try {
      await forged(field, rig)
      await foreign(field, rig, other)
      await ended(field, rig)
      await amplified(field, rig)
      await refreshed(field, rig, clock)
      await expired(field, rig, clock)
    } finally {
      await rig.discard()
      await other.discard()
    }
  },
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

/** Opens a session; returns the status and the id. */
async function open(rig: Rig, headers: Headers, params: JsonObject = {}) {
  const answer = await send(rig, headers, {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'attack', version: '1' },
      ...params,
    },
  })
  return { status: answer.status, id: answer.headers.get('mcp-session-id') ?? '' }
}

async function send(rig: Rig, headers: Headers, message: JsonObject): Promise<Response> {
  const answer = await fetch(`${rig.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(30_000),
  })
  await answer.text()
  return answer
}

/** The status of a request in a session, of its stream, and of its end. */
async function statusOf(rig: Rig, id: string, headers: Headers, method = 'POST'): Promise<number> {
  const all = { 'mcp-session-id': id, ...headers }
  if (method === 'POST')
    return (await send(rig, all, { jsonrpc: '2.0', id: 2, method: 'tools/list' })).status
  const leaving = new AbortController()
  const answer = await fetch(`${rig.url}/mcp`, {
    method,
    headers: { accept: 'text/event-stream', ...all },
    signal: leaving.signal,
  })
  leaving.abort()
  return answer.status
}

async function forged(field: Field, rig: Rig): Promise<void> {
  const ada = bearer(rig.keyOf('ada'))
  const { id } = await open(rig, ada)
  await field.try('an honest id', async () => (await statusOf(rig, id, ada)) === 200)
  const unknown = async (name: string, wrong: string) =>
    field.try(`an id that is ${name}`, async () =>
      [400, 404, 431].includes(await statusOf(rig, wrong, ada)),
    )
  for (let at = 0; at < id.length; at += Math.ceil(id.length / 20)) {
    const letter = id[at] === 'A' ? 'B' : 'A'
    await unknown(`changed at ${at}`, id.slice(0, at) + letter + id.slice(at + 1))
  }
  for (const [name, wrong] of Object.entries({
    'cut short': id.slice(0, -4),
    longer: `${id}AAAA`,
    'padded in base64': `${id}==`,
    'a UUID': '123e4567-e89b-42d3-a456-426614174000',
    'only its prefix': id.slice(0, 4),
    'of a task': id.replace(/^[a-z]+_/, 'pt_'),
    'spelled in capitals': id.toUpperCase(),
    'sent twice': `${id}, ${id}`,
    'all zeros': `${id.slice(0, 4)}${'A'.repeat(id.length - 4)}`,
    'JSON in base64': `${id.slice(0, 4)}${Buffer.from('["","ada",{},{}]'.padEnd(200)).toString('base64url')}`,
    'as long as a header may be': `${id.slice(0, 4)}${'A'.repeat(12_000)}`,
    'longer than a header may be': `${id.slice(0, 4)}${'A'.repeat(60_000)}`,
    __proto__: '__proto__',
    'a path': '../../sessions',
  }))
    await unknown(name, wrong)
  await field.try('the gateway lives', async () => rig.isAlive())
}

async function foreign(field: Field, rig: Rig, other: Rig): Promise<void> {
  const [ada, second, eve] = [rig.keyOf('ada'), rig.keyOf('ada'), rig.keyOf('eve')].map(bearer)
  const { id } = await open(rig, ada ?? {})
  for (const method of ['POST', 'GET', 'DELETE']) {
    for (const [whose, headers] of Object.entries({ eve, 'another key of ada': second }))
      await field.try(
        `${method} with the key of ${whose}`,
        async () => (await statusOf(rig, id, headers ?? {}, method)) === 404,
      )
    for (const [whose, headers] of Object.entries({
      nobody: {},
      'a claim': { 'x-agent-id': 'ada' },
      'a key that does not exist': bearer('ptk_nothing'),
    }))
      await field.try(
        `${method} with the credential of ${whose}`,
        async () => (await statusOf(rig, id, headers, method)) === 401,
      )
  }
  const elsewhere = bearer(other.keyOf('ada'))
  const { id: theirs } = await open(other, elsewhere)
  await field.try('an id of another data folder, of an agent of the same name', async () => {
    const here = await statusOf(rig, theirs, ada ?? {})
    return here === 404 && (await statusOf(other, id, elsewhere)) === 404
  })
  await field.try(
    'after all that, its owner goes on',
    async () => (await statusOf(rig, id, ada ?? {})) === 200,
  )
}

async function ended(field: Field, rig: Rig): Promise<void> {
  const ada = bearer(rig.keyOf('ada'))
  const { id } = await open(rig, ada)
  await statusOf(rig, id, ada, 'DELETE')
  for (const [name, again] of Object.entries({ itself: id, padded: `${id}=`, spaced: ` ${id} ` }))
    for (const method of ['POST', 'GET', 'DELETE'])
      await field.try(
        `an ended id with ${method}, ${name}`,
        async () => (await statusOf(rig, again, ada, method)) === 404,
      )
  await field.try('an ended id, after many others have ended', async () => {
    for (let n = 0; n < 100; n += 1) await statusOf(rig, (await open(rig, ada)).id, ada, 'DELETE')
    return (await statusOf(rig, id, ada)) === 404
  })
}

/** Handshakes that say far too much of a client. */
async function amplified(field: Field, rig: Rig): Promise<void> {
  const ada = bearer(rig.keyOf('ada'))
  const large = 'x'.repeat(8 << 20)
  const handshakes: Readonly<Record<string, JsonObject>> = {
    'a name of 8 MB': { clientInfo: { name: large, version: '1' } },
    'an icon of 8 MB': { clientInfo: { name: 'x', version: '1', icons: [{ src: large }] } },
    'capabilities of 8 MB': { capabilities: { experimental: { large } } },
    '100,000 capabilities': {
      capabilities: Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`c${n}`, {}])),
    },
    'a name of zeros': { clientInfo: { name: '\u0000'.repeat(5_000), version: '1' } },
  }
  for (const [name, params] of Object.entries(handshakes))
    await field.try(`${name}: the id is short, or there is none`, async () => {
      const { status, id } = await open(rig, ada, params)
      if (status !== 200) return status < 500
      return id.length <= MAX_SESSION_ID && (await statusOf(rig, id, ada)) === 200
    })
  await field.try('40 handshakes of 8 MB keep no memory', async () => {
    const before = rssMb(rig.pid)
    for (let n = 0; n < 40; n += 1)
      await open(rig, ada, { clientInfo: { name: 'x', version: '1', more: large } })
    await sleep(2_000)
    return rssMb(rig.pid) - before < 400
  })
}

/** A stolen id with every token but those of its own sign-in. */
async function refreshed(field: Field, rig: Rig, clock: string): Promise<void> {
  const { origin } = new URL(rig.url)
  const signIn = async (agent: string) => {
    const client = await new OAuthClient(origin).register()
    return { client, ...(await client.redeem(await client.code(withKey(rig.keyOf(agent))))).body }
  }
  const [ada, eve] = [await signIn('ada'), await signIn('eve')]
  const { id } = await open(rig, bearer(ada.access_token))
  const { body: next } = await ada.client.refresh(ada.refresh_token)
  await field.try(
    'its owner goes on with a refreshed token',
    async () => (await statusOf(rig, id, bearer(next.access_token))) === 200,
  )
  await field.try(
    'the token of another person',
    async () => (await statusOf(rig, id, bearer(eve.access_token))) === 404,
  )
  await field.try('a refresh token', async () => {
    const status = await statusOf(rig, id, bearer(next.refresh_token))
    return status === 401
  })
  await field.try('a token of a grant that was ended by a later replay', async () => {
    // For a minute a client may send a refresh token again whose answer was lost.
    writeFileSync(clock, '120000')
    await sleep(200)
    await ada.client.refresh(ada.refresh_token)
    return (await statusOf(rig, id, bearer(next.access_token))) === 401
  })
}

async function expired(field: Field, rig: Rig, clock: string): Promise<void> {
  const ada = bearer(rig.keyOf('ada'))
  const { id } = await open(rig, ada)
  const at = async (days: number) => {
    writeFileSync(clock, String(days * DAY_MS))
    await sleep(200)
    return statusOf(rig, id, ada)
  }
  await field.try('an id of yesterday', async () => (await at(1)) === 200)
  await field.try('an id of 40 days ago', async () => (await at(40)) === 404)
  await rig.stop('SIGKILL')
  const later = await Rig.open({
    folder: rig.folder,
    rules: { agents: AGENTS },
    settings: SETTINGS,
    env: {
      CLOCK_OFFSET_FILE: clock,
      NODE_OPTIONS: `--require ${join(import.meta.dirname, 'clock.cjs')}`,
    },
  })
  const there = async (days: number) => {
    writeFileSync(clock, String(days * DAY_MS))
    await sleep(200)
    return statusOf(later, id, ada)
  }
  await field.try('after a kill, an id of 40 days ago', async () => (await there(40)) === 404)
  await field.try('an id of 4,000 days ago', async () => (await there(4_000)) === 404)
  await field.try('after a kill, an id of now', async () => (await there(0)) === 200)
  await later.stop()
}
