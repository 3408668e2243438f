import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { ANSWERS } from '../support/clients/session.ts'
import { call, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { startGateway } from '../support/gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Every way to reach a server, and how to start one that is reached so. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'http-legacy': ['--era', 'legacy'],
  'http-legacy-stream': ['--era', 'legacy', '--sse'],
  'http-modern': ['--era', 'modern'],
  'http-modern-stream': ['--era', 'modern', '--sse'],
  'sse-2024': ['--legacy-sse'],
}
const NAMES = ['stdio', ...Object.keys(KINDS)]

let url = ''
beforeAll(async () => {
  const undo: (() => void | Promise<void>)[] = []
  const later = (step: () => void | Promise<void>) => void undo.unshift(step)
  const started = await Promise.all(
    Object.entries(KINDS).map(
      async ([name, flags]) => [name, await startHttpUpstream(...flags)] as const,
    ),
  )
  for (const [, upstream] of started) later(async () => upstream.close())
  const folder = tempFolder(later)
  const far = started.map(([name, upstream]) => [name, { url: upstream.url }])
  folder.write('.mcp.json', { mcpServers: { stdio: stdioUpstream(), ...Object.fromEntries(far) } })
  url = (await startGateway(folder, ['--surface', 'direct'], {}, later)).url
  return async () => {
    for (const step of undo) await step()
  }
})

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  let client: RawClient
  beforeAll(async () => {
    client = await openHttp(era, `${url}/mcp`)
    // The first list does not wait for long; a busy machine may need a second one.
    const echoes = async () => (await toolNames(client)).filter((name) => name.endsWith('__echo'))
    while ((await echoes()).length < NAMES.length) await sleep(100)
    return async () => client.close()
  })

  describe.each(NAMES)('with a server behind %s', (server) => {
    it('gets its results untouched, big and odd ones too', async () => {
      expect(textOf(await call(client, `${server}__echo`, { text: 'hé😀' }))).toBe('hé😀')
      const odd = await client.text('tools/call', { name: `${server}__odd`, arguments: {} })
      expect(odd).toContain('"big":9007199254740993,"bigger":18446744073709551615,"one":1.0,')
      expect(odd).toContain('"text":"\\u00e9\\ud83d\\ude00","nothing":null}')
      const big = await call(client, `${server}__big`, { bytes: 2_000_000 })
      expect(textOf(big)).toHaveLength(2_000_000)
    })

    it('hears its progress, in order and to the last', async () => {
      const steps: unknown[] = []
      const params = { name: `${server}__slow`, arguments: { ms: 60, steps: 3 } }
      const onProgress = ({ progress }: JsonObject) => steps.push(progress)
      await client.request('tools/call', params, { onProgress })
      expect(steps).toEqual([1, 2, 3])
    })

    it('can stop its work', async () => {
      const cancelled = async () => {
        const list = structured(await call(client, `${server}__whoami`))['cancelled']
        return Array.isArray(list) ? list.length : -1
      }
      const before = await cancelled()
      const leaving = new AbortController()
      const params = { name: `${server}__slow`, arguments: { ms: 60_000, steps: 1200 } }
      const slow = client.request('tools/call', params, {
        signal: leaving.signal,
        onProgress: () => leaving.abort(),
      })
      await expect(slow).rejects.toThrow('cancelled')
      await expect.poll(cancelled).toBe(before + 1)
    })

    it('is asked what only it can answer', async () => {
      const asked = await call(client, `${server}__ask_sampling`)
      expect(structured(asked)).toEqual({ answer: ANSWERS['sampling/createMessage'] })
    })

    it('finds a tool that was added', async () => {
      const name = `added_for_${era}`
      await call(client, `${server}__add_tool`, { name })
      await expect.poll(async () => toolNames(client)).toContain(`${server}__${name}`)
    })

    it('reads its errors as they were', async () => {
      const params = { name: `${server}__rpc_error`, arguments: { code: -31_001, data: { n: 1 } } }
      const answer: unknown = JSON.parse(await client.text('tools/call', params))
      expect(isObject(answer) && answer['error']).toEqual({
        code: -31_001,
        message: 'refused',
        data: { n: 1 },
      })
    })
  })
})

it.each(['stdio', 'http-legacy', 'http-modern', 'sse-2024'])(
  'questions of %s reach the client whose call they belong to, however many call at once',
  async (server) => {
    const clients = await Promise.all(
      ['ada', 'bob', 'eve'].map(async (name) => {
        const client = await openHttp('legacy', `${url}/mcp`)
        client.answers['elicitation/create'] = { action: 'accept', content: { name } }
        return { name, client }
      }),
    )
    // The first question shows that this server asks: from then on nobody shares its connection.
    for (const { client } of clients) await call(client, `${server}__ask_elicitation`)
    const heard = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const { name, client } = clients[n % clients.length] ?? { name: '', client: undefined }
        const answer = client && structured(await call(client, `${server}__ask_elicitation`))
        return { name, answer }
      }),
    )
    for (const { name, answer } of heard)
      expect(answer).toEqual({ answer: { action: 'accept', content: { name } } })
    await Promise.all(clients.map(async ({ client }) => client.close()))
  },
)
