import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isObject, type JsonObject } from '../../src/base/json/json.ts'
import { upstreamsOf } from '../support/children-of.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, structured, textOf } from '../support/clients/talk.ts'
import { openStdio } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'
import { startStatelessServer } from '../support/stateless-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

type Era = 'legacy' | 'modern'

const VERSION = { legacy: '2025-11-25', modern: '2026-07-28' } as const
const other = (era: Era): Era => (era === 'legacy' ? 'modern' : 'legacy')

/** The test upstream, as an entry of `.mcp.json`. */
async function anUpstream(transport: 'stdio' | 'HTTP', era: Era | 'both'): Promise<JsonObject> {
  if (transport === 'stdio') return stdioUpstream('--era', era)
  const upstream = await startHttpUpstream('--era', era)
  onTestFinished(async () => upstream.close())
  return { url: upstream.url }
}

/** The version of the connection on which the server sees the calls of a client. */
async function versionSeen(client: RawClient, tool = 'whoami'): Promise<unknown> {
  const { client: seen } = structured(await call(client, tool))
  return isObject(seen) ? seen['protocolVersion'] : undefined
}

async function nameOf(client: RawClient, name: string): Promise<unknown> {
  client.answers['elicitation/create'] = { action: 'accept', content: { name } }
  return structured(await call(client, 'ask_elicitation'))['answer']
}

describe.each(['stdio', 'HTTP'] as const)('a server over %s that speaks both eras', (transport) => {
  it.each(['legacy', 'modern'] as const)(
    'has a connection of the era of each client, where a %s one comes first',
    async (first) => {
      const gateway = await openGateway({ servers: { one: await anUpstream(transport, 'both') } })
      const eras = [first, other(first), first]
      const clients = await Promise.all(eras.map(async (era) => gateway.connect({ era })))
      for (const [n, client] of clients.entries())
        expect(await versionSeen(client)).toBe(VERSION[eras[n] ?? first])
      for (const [n, client] of clients.entries())
        expect(await nameOf(client, `client ${n}`)).toEqual({
          action: 'accept',
          content: { name: `client ${n}` },
        })
    },
  )
})

describe.each(['stdio', 'HTTP'] as const)('a server over %s that speaks one era', (transport) => {
  it.each(['legacy', 'modern'] as const)('is bridged where that is the %s one', async (era) => {
    const gateway = await openGateway({ servers: { one: await anUpstream(transport, era) } })
    const mute = { mute: true } as const
    const clients = [
      await gateway.connect({ era: 'legacy', ...mute }),
      await gateway.connect({ era: 'modern', ...mute }),
    ]
    for (const client of clients) expect(await versionSeen(client)).toBe(VERSION[era])
    const asked = [await gateway.connect({ era: 'modern' }), await gateway.connect()]
    for (const client of asked)
      expect(await nameOf(client, 'ada')).toEqual({ action: 'accept', content: { name: 'ada' } })
  })
})

const startsIn = (path: string) => readFileSync(path, 'utf8').trim().split('\n').length

describe('a plain command of the old era', () => {
  it('is one process for clients of both eras, and is tried in the new one once ever', async () => {
    const folder = tempFolder()
    const starts = folder.file('starts')
    const servers = { one: stdioUpstream('--starts', starts) }
    const meet = async () => {
      const gateway = await openGateway({ servers, folder })
      for (const era of ['legacy', 'modern', 'modern', 'legacy'] as const)
        expect(await versionSeen(await gateway.connect({ era, mute: true }))).toBe('2025-11-25')
      await expect.poll(() => upstreamsOf(gateway).length).toBe(1)
      await gateway.close()
    }
    await meet()
    const first = startsIn(starts)
    expect(first).toBeLessThanOrEqual(2)
    await meet()
    expect(startsIn(starts)).toBe(first + 1)
  })

  it('serves a modern client although it ends when it is asked for the new era', async () => {
    const servers = { one: stdioUpstream('--exit-on-discover') }
    const gateway = await openGateway({ servers })
    expect(await versionSeen(await gateway.connect({ era: 'modern' }))).toBe('2025-11-25')
    expect(await versionSeen(await gateway.connect())).toBe('2025-11-25')
  })

  it('is not tried in the new era where its configuration names the old one', async () => {
    const folder = tempFolder()
    const starts = folder.file('starts')
    const one = { ...stdioUpstream('--era', 'both', '--starts', starts), protocol: '2025-11-25' }
    const gateway = await openGateway({ servers: { one }, folder })
    const client = await gateway.connect({ era: 'modern', mute: true })
    expect(await versionSeen(client)).toBe('2025-11-25')
    expect(startsIn(starts)).toBe(1)
  })
})

it('a server with "session": "shared" is one process, whatever its clients speak', async () => {
  const folder = tempFolder()
  const starts = folder.file('starts')
  const one = { ...stdioUpstream('--era', 'both', '--starts', starts), session: 'shared' }
  const gateway = await openGateway({ servers: { one }, folder })
  const seen = [
    await versionSeen(await gateway.connect()),
    await versionSeen(await gateway.connect({ era: 'modern' })),
  ]
  expect(new Set(seen).size).toBe(1)
  expect(startsIn(starts)).toBe(1)
})

it.each(['legacy', 'modern'] as const)(
  'the only client of a gateway, a %s one, has one process in its era',
  async (era) => {
    const folder = tempFolder()
    const starts = folder.file('starts')
    folder.write('.mcp.json', {
      mcpServers: { one: stdioUpstream('--era', 'both', '--starts', starts) },
    })
    const args = [MAIN, '--surface', 'direct']
    const env = gatewayEnv(folder)
    const program = { command: process.execPath, args, cwd: folder.path, env }
    const client = await openStdio(era, program)
    onTestFinished(async () => client.close())
    await client.request('tools/list')
    expect(await versionSeen(client)).toBe(VERSION[era])
    expect(await nameOf(client, 'ada')).toMatchObject({ content: { name: 'ada' } })
    expect(startsIn(starts)).toBe(1)
  },
)

it('a server without sessions asks an old client over the new era, and serves others in the old', async () => {
  const server = await startStatelessServer()
  onTestFinished(async () => server.close())
  const gateway = await openGateway({ servers: { one: { url: server.url } } })
  const asked = await gateway.connect()
  asked.answers['elicitation/create'] = { action: 'accept', content: { confirm: true } }
  expect(textOf(await call(asked, 'deploy', { env: 'test' }))).toBe('Deployed to test')
  const mute = await gateway.connect({ mute: true })
  expect(textOf(await call(mute, 'era'))).toBe('legacy')
  expect(textOf(await call(await gateway.connect({ era: 'modern' }), 'era'))).toBe('modern')
})

it('two sessions whose first calls get the first questions a server ever asks are each asked their own', async () => {
  const gateway = await openGateway({ servers: { one: stdioUpstream() } })
  const clients = [await gateway.connect(), await gateway.connect(), await gateway.connect()]
  const answers = await Promise.all(clients.map(async (client, n) => nameOf(client, `client ${n}`)))
  expect(answers).toEqual(
    clients.map((_, n) => ({ action: 'accept', content: { name: `client ${n}` } })),
  )
})
