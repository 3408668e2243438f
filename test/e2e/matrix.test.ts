import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, callUntilProgress, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { openHttp, openSse, openStdio, openWebSocket } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { startHttpUpstream } from '../support/start.ts'

type Open = (gateway: Opened) => Promise<RawClient>

const at = ({ url }: Opened, path: string) => `${url}${path}?surface=direct`
const overStdio =
  (era: 'legacy' | 'modern'): Open =>
  async ({ folder }) => {
    const env = gatewayEnv(folder, { PORTOLAN_HOME: folder.file(`stdio-${era}`) })
    const args = [MAIN, '--surface', 'direct']
    return openStdio(era, { command: process.execPath, args, cwd: folder.path, env })
  }

const CLIENTS: Readonly<Record<string, Open>> = {
  'legacy, stdio': overStdio('legacy'),
  'modern, stdio': overStdio('modern'),
  'legacy, HTTP': async (gateway) => openHttp('legacy', at(gateway, '/mcp')),
  'modern, HTTP': async (gateway) => openHttp('modern', at(gateway, '/mcp')),
  'legacy, SSE': async (gateway) => openSse(at(gateway, '/sse')),
  'legacy, WebSocket': async (gateway) => openWebSocket(at(gateway, '/ws').replace('http:', 'ws:')),
}
const UPSTREAMS = ['legacy', 'modern', 'both'] as const
const PATIENT = { timeout: 20_000 }
const count = { tools: 0 }

/** One row a feature: what any client can do with any server. */
const FEATURES: Readonly<Record<string, (client: RawClient) => Promise<void>>> = {
  async call(client) {
    expect(textOf(await call(client, 'echo', { text: 'hé' }))).toBe('hé')
  },
  async progress(client) {
    const { result } = await callUntilProgress(client, 'slow', { ms: 100, steps: 2 })
    expect(textOf(await result)).toBe('slept 100 ms')
  },
  async cancel(client) {
    const cancelledBefore = await cancelledCalls(client)
    const leaving = new AbortController()
    const params = { name: 'slow', arguments: { ms: 60_000, steps: 600 } }
    await new Promise<void>((resolve, reject) => {
      const onProgress = () => {
        leaving.abort()
        resolve()
      }
      client
        .request('tools/call', params, { signal: leaving.signal, onProgress })
        .catch((error: unknown) => (leaving.signal.aborted ? undefined : reject(error)))
    })
    await expect.poll(async () => cancelledCalls(client), PATIENT).toBeGreaterThan(cancelledBefore)
  },
  async elicit(client) {
    const { answer } = structured(await call(client, 'ask_elicitation'))
    expect(answer).toEqual(client.answers['elicitation/create'])
  },
  async sample(client) {
    const { answer } = structured(await call(client, 'ask_sampling'))
    expect(answer).toEqual(client.answers['sampling/createMessage'])
  },
  async roots(client) {
    const { answer } = structured(await call(client, 'ask_roots'))
    expect(answer).toEqual(client.answers['roots/list'])
  },
  async 'list change'(client) {
    await client.subscribe([])
    const before = client.heard.length
    count.tools += 1
    const name = `added_${count.tools}`
    await call(client, 'add_tool', { name })
    const heard = () => client.heard.slice(before).map(({ method }) => method)
    await expect.poll(heard, PATIENT).toContain('notifications/tools/list_changed')
    await expect.poll(async () => toolNames(client), PATIENT).toContain(name)
  },
  async subscribe(client) {
    await client.subscribe(['test://text'])
    const before = client.heard.length
    const heard = async () => {
      await call(client, 'touch', { uri: 'test://text' })
      return client.heard.slice(before).map(({ method }) => method)
    }
    await expect.poll(heard, PATIENT).toContain('notifications/resources/updated')
  },
}

async function cancelledCalls(client: RawClient): Promise<number> {
  const { cancelled } = structured(await call(client, 'whoami'))
  return Array.isArray(cancelled) ? cancelled.length : 0
}

describe.each(UPSTREAMS)('a server that speaks the eras: %s', (era) => {
  const undo: (() => void | Promise<void>)[] = []
  const later = (step: () => void | Promise<void>) => void undo.push(step)
  let gateway: Opened
  beforeAll(async () => {
    const upstream = await startHttpUpstream('--era', era)
    later(async () => upstream.close())
    gateway = await openGateway({ servers: { one: { url: upstream.url } }, later })
  })
  afterAll(async () => {
    for (const step of undo.toReversed()) await step()
  })

  describe.each(Object.entries(CLIENTS))('with a client: %s', (_, open) => {
    let client: RawClient
    beforeAll(async () => {
      client = await open(gateway)
      await toolNames(client)
      return async () => client.close()
    })

    it.each(Object.entries(FEATURES))('%s', async (_feature, use) => {
      await use(client)
      expect.hasAssertions()
    })
  })
})
