import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { call, structured } from '../support/clients/talk.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { openHttp, resumeHttp } from '../support/clients/wires.ts'
import { freePort } from '../support/free-port.ts'
import { openGateway } from '../support/open-gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'

const ERAS = ['legacy', 'modern'] as const
const WAIT = { timeout: 60_000, interval: 100 }
const TIMES = { timeout: 240_000 }

function updatesOf({ heard }: RawClient): unknown[] {
  return heard.flatMap(({ method, params }) =>
    method === 'notifications/resources/updated' ? [params['uri']] : [],
  )
}

/** An HTTP server that comes back at the same address, and a client that changes its resource from outside. */
async function aRemoteServer(era: 'legacy' | 'modern') {
  const port = await freePort()
  const begin = async () => startHttpUpstream('--era', era, '--port', String(port))
  let running = await begin()
  onTestFinished(async () => running.close())
  return {
    url: running.url,
    stop: async () => running.close(),
    async start() {
      running = await begin()
    },
    /** Beside the gateway, which therefore has no call of its own to notice anything by. */
    async touch() {
      const other = await openHttp(era, running.url)
      await call(other, 'touch')
      await other.close()
    },
  }
}

const COMBINED = ERAS.flatMap((client) => ERAS.map((server) => [client, server] as const))

describe('a subscription', TIMES, () => {
  it.each(COMBINED)(
    'of a %s client survives the restart of a %s server that it does not call',
    async (clientEra, serverEra) => {
      const server = await aRemoteServer(serverEra)
      const { connect } = await openGateway({ servers: { a: { url: server.url } } })
      const client = await connect({ era: clientEra })
      await client.subscribe(['test://a+text'])
      await expect
        .poll(async () => (await server.touch(), updatesOf(client).length), WAIT)
        .not.toBe(0)
      await server.stop()
      // Longer than the pause before the next attempt, so that attempts fail in between.
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      await server.start()
      const before = updatesOf(client).length
      // Whatever changed meanwhile: it is told to look again, and of every change from then on.
      await expect.poll(() => updatesOf(client).length, WAIT).toBeGreaterThan(before)
      const resumed = updatesOf(client).length
      await server.touch()
      await expect.poll(() => updatesOf(client).length, WAIT).toBeGreaterThan(resumed)
      expect(new Set(updatesOf(client))).toEqual(new Set(['test://a+text']))
    },
  )

  it.each(['auto', 'per-session', 'shared'])(
    'survives the death of the process of a server with session %s',
    async (session) => {
      const { connect } = await openGateway({ servers: { a: { ...stdioUpstream(), session } } })
      const [client, other] = [await connect(), await connect()]
      await call(other, 'a__echo')
      await client.subscribe(['test://a+text'])
      const first = await pid(client)
      await call(client, 'a__touch')
      await expect.poll(() => updatesOf(client), WAIT).toEqual(['test://a+text'])
      process.kill(first, 'SIGKILL')
      await expect.poll(async () => pid(client).catch(() => first), WAIT).not.toBe(first)
      await expect.poll(() => updatesOf(client).length, WAIT).toBeGreaterThan(1)
      const resumed = updatesOf(client).length
      await call(client, 'a__touch')
      await expect.poll(() => updatesOf(client).length, WAIT).toBeGreaterThan(resumed)
      expect(updatesOf(other)).toEqual([])
    },
  )

  it('survives a change of the configuration of its server', async () => {
    const { connect, folder } = await openGateway({ servers: servers('before') })
    const client = await connect()
    await client.subscribe(['test://a+text'])
    await client.subscribe(['test://b+text'])
    const first = await pid(client)
    folder.write('.mcp.json', { mcpServers: servers('after') })
    await expect.poll(async () => pid(client).catch(() => first), WAIT).not.toBe(first)
    await expect
      .poll(async () => {
        await call(client, 'a__touch')
        return updatesOf(client)
      }, WAIT)
      .toContain('test://a+text')
    await client.request('resources/unsubscribe', { uri: 'test://a+text' })
    // What is under way comes before this one, on the same stream.
    await call(client, 'b__touch')
    await expect.poll(() => updatesOf(client), WAIT).toContain('test://b+text')
    const before = updatesOf(client).length
    await call(client, 'a__touch')
    await call(client, 'b__touch')
    await expect.poll(() => updatesOf(client).slice(before), WAIT).toEqual(['test://b+text'])
  })

  it('survives a client that goes and comes back, and tells what changed meanwhile', async () => {
    const { connect, url } = await openGateway({
      servers: { a: { ...stdioUpstream(), session: 'per-session' } },
      settings: { upstreams: { releaseMs: 200 } },
    })
    const left = await connect({ deaf: true })
    await left.subscribe(['test://a+text'])
    await call(left, 'a__touch')
    const first = await pid(left)
    // Long enough for what nobody uses to be given back.
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const back = resumeHttp(`${url}/mcp?surface=direct`, left.sessionId ?? '')
    await expect.poll(() => updatesOf(back), WAIT).toEqual(['test://a+text'])
    expect(await pid(back)).toBe(first)
    await call(back, 'a__touch')
    await expect.poll(() => updatesOf(back), WAIT).toEqual(['test://a+text', 'test://a+text'])
  })
})

function servers(description: string): JsonObject {
  return { a: { ...stdioUpstream(), description }, b: stdioUpstream() }
}

async function pid(client: RawClient): Promise<number> {
  return Number(structured(await call(client, 'a__whoami'))['pid'])
}
