import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { balance } from '../support/balance.ts'
import { ANSWERS } from '../support/clients/session.ts'
import { call, refusal, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { openHttp, resumeHttp } from '../support/clients/wires.ts'
import { openReplica } from '../support/open-replica.ts'
import { startHttpUpstream } from '../support/start.ts'

// Two shared cores: what takes a moment alone may take seconds beside the others.
vi.setConfig({ expect: { poll: { timeout: 10_000 } } })

const secretKey = 'correct horse'

const WAYS = {
  'one process': async (servers: JsonObject, later: (undo: () => Promise<void>) => void) =>
    (await openReplica({ servers }, (undo) => later(async () => undo()))).url,
  'two replicas, taken in turn': async (
    servers: JsonObject,
    later: (undo: () => Promise<void>) => void,
  ) => {
    const redisUrl = inject('redisUrl')
    const put = (undo: () => void | Promise<void>) => later(async () => undo())
    const a = await openReplica({ servers, redisUrl, secretKey }, put)
    const b = await openReplica({ servers, redisUrl, secretKey }, put)
    const nginx = await balance([a.url, b.url])
    later(async () => nginx.stop())
    return nginx.url
  },
}

describe.each(Object.entries(WAYS))('a client of %s', (_, open) => {
  let url = ''
  let unique = 0
  beforeAll(async () => {
    const undo: (() => Promise<void>)[] = []
    const later = (step: () => Promise<void>) => void undo.unshift(step)
    const old = await startHttpUpstream('--era', 'legacy')
    later(async () => old.close())
    url = `${await open({ old: { url: old.url } }, later)}/mcp?surface=direct`
    return async () => {
      for (const step of undo) await step()
    }
  })
  const connect = async (era: 'legacy' | 'modern' = 'legacy') => {
    const client = await openHttp(era, url)
    return client
  }

  it('keeps its session over many calls', async () => {
    const client = await connect()
    for (let n = 0; n < 8; n += 1)
      expect(textOf(await call(client, 'echo', { text: `${n}` }))).toBe(`${n}`)
    await client.close()
  })

  it.each([
    ['ask_roots', 'roots/list'],
    ['ask_sampling', 'sampling/createMessage'],
    ['ask_elicitation', 'elicitation/create'],
  ] as const)(
    'is asked in the middle of a call, and its answer arrives: %s',
    async (tool, method) => {
      for (const era of ['legacy', 'modern'] as const) {
        const client = await connect(era)
        for (let n = 0; n < 3; n += 1)
          expect(JSON.parse(textOf(await call(client, tool)))).toEqual({ answer: ANSWERS[method] })
        await client.close()
      }
    },
  )

  it('cancels a call wherever it runs', async () => {
    const client = await connect()
    const count = async () => {
      const { cancelled } = structured(await call(client, 'whoami'))
      return Array.isArray(cancelled) ? cancelled.length : -1
    }
    const before = await count()
    for (let n = 1; n <= 2; n += 1) {
      const leaving = new AbortController()
      const params = { name: 'slow', arguments: { ms: 60_000, steps: 1200 } }
      const options = { signal: leaving.signal, onProgress: () => leaving.abort() }
      await expect(client.request('tools/call', params, options)).rejects.toThrow('cancelled')
      await expect.poll(count).toBe(before + n)
    }
    await client.close()
  })

  it('hears of changed lists and resources on its one stream', async () => {
    const client = await connect()
    const heard = (method: string) => client.heard.filter((one) => one.method === method)
    await client.subscribe(['test://text'])
    await expect
      .poll(async () => {
        await call(client, 'touch', { uri: 'test://text' })
        return heard('notifications/resources/updated').length
      })
      .toBeGreaterThan(0)
    await call(client, 'touch', { uri: 'test://blob' })
    const name = `added_${(unique += 1)}`
    await call(client, 'add_tool', { name })
    await expect.poll(() => heard('notifications/tools/list_changed').length).toBeGreaterThan(0)
    await expect
      .poll(async () => (await toolNames(client)).includes(name) && toolNames(client))
      .toContain(name)
    expect(JSON.stringify(heard('notifications/resources/updated'))).not.toContain('blob')
    await client.close()
  })

  it('ends its session for all', async () => {
    const client = await connect()
    await call(client, 'echo', { text: 'x' })
    await call(client, 'echo', { text: 'x' })
    await client.close()
    await sleep(100)
    for (let n = 0; n < 4; n += 1)
      expect(await status(url, 'tools/list', client.sessionId ?? '')).toBe(404)
    expect(await status(url, 'tools/list', 'nobody-knows')).toBe(404)
  })

  it('is told clearly that a waiting call is unknown', async () => {
    const client = await connect('modern')
    const asked = client.request('tools/call', {
      name: 'echo',
      arguments: {},
      requestState: 'portolan-12345678.nothing',
    })
    expect(await refusal(asked)).toMatchObject({
      message: expect.stringContaining('call again without'),
    })
  })
})

it('a session that was ended at one replica has ended at another that never served it', async () => {
  const { a, b } = await twoReplicas()
  const client = await openHttp('legacy', `${a.url}/mcp`)
  const other = await openHttp('legacy', `${a.url}/mcp`)
  await client.close()
  expect(await status(`${b.url}/mcp`, 'tools/list', client.sessionId ?? '')).toBe(404)
  expect(await status(`${b.url}/mcp`, 'tools/list', other.sessionId ?? '')).toBe(200)
  const keys = await keysOf(client.sessionId)
  expect(keys).toHaveLength(1)
  expect(JSON.stringify(keys), 'the id itself').not.toContain(client.sessionId)
})

describe('when a replica dies', () => {
  it('another goes on with its sessions, of which Redis knows nothing', async () => {
    const { a, b } = await twoReplicas()
    const client = await openHttp('legacy', `${a.url}/mcp?surface=direct`)
    await call(client, 'echo', { text: 'x' })
    expect(await keysOf(client.sessionId)).toEqual([])
    await a.die()
    const moved = resumeHttp(`${b.url}/mcp?surface=direct`, client.sessionId ?? '')
    expect(textOf(await call(moved, 'echo', { text: 'here' }))).toBe('here')
    expect(JSON.parse(textOf(await call(moved, 'ask_sampling')))).toEqual({
      answer: ANSWERS['sampling/createMessage'],
    })
    await moved.subscribe(['test://text'])
    await expect
      .poll(async () => {
        await call(moved, 'touch', { uri: 'test://text' })
        return moved.heard.map(({ method }) => method)
      })
      .toContain('notifications/resources/updated')
    await moved.close()
  })

  it('says so to who comes back for a call that waited there', async () => {
    const { a, b } = await twoReplicas()
    const client = await openHttp('modern', `${a.url}/mcp?surface=direct`)
    const params = { name: 'ask_elicitation', arguments: {} }
    const { result } = JSON.parse((await client.text('tools/call', params)) ?? '')
    expect(result).toMatchObject({ resultType: 'input_required' })
    await a.die()
    const other = await openHttp('modern', `${b.url}/mcp?surface=direct`)
    const back = other.request('tools/call', {
      ...params,
      requestState: result.requestState,
      inputResponses: { q1: ANSWERS['elicitation/create'] },
    })
    expect(await refusal(back)).toMatchObject({
      message: expect.stringContaining('is gone, and the call with it'),
      data: { retryable: true },
    })
  })

  it('nobody else may take its sessions', async () => {
    const { a, b } = await twoReplicas()
    const client = await openHttp('legacy', `${a.url}/mcp?surface=direct`)
    await call(client, 'echo', { text: 'x' })
    await sleep(50)
    await a.die()
    const url = `${b.url}/mcp`
    const thief = { 'x-api-key': 'another' }
    expect(await status(url, 'tools/list', client.sessionId ?? '', thief)).not.toBe(200)
    expect(await status(url, 'tools/list', client.sessionId ?? '')).toBe(200)
  })
})

async function twoReplicas() {
  const old = await startHttpUpstream('--era', 'legacy')
  const servers = { old: { url: old.url } }
  const config = { servers, redisUrl: inject('redisUrl'), secretKey }
  const [a, b] = [await openReplica(config), await openReplica(config)]
  onTestFinished(async () => {
    await Promise.all([a.die(), b.die()])
    await old.close()
  })
  return { a, b }
}

/** Returns the keys of Redis that name a session by the beginning of its id. */
async function keysOf(id = ''): Promise<string[]> {
  const redis = new Redis(inject('redisUrl'))
  const keys = await redis.keys(`*${id.slice(4, 20)}*`)
  redis.disconnect()
  return keys
}

async function status(url: string, method: string, session: string, headers = {}): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session,
      ...headers,
    },
  })
  await response.text()
  return response.status
}
