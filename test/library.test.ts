import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import * as portolan from '../src/index.ts'
import { type App, type Service, createApp, createLog, createService } from '../src/index.ts'
import { createPolicy, defineTool, loadConfig, serveHttp, watchConfig } from '../src/index.ts'
import { tempFolder } from './support/temp-folder.ts'

/** The one server of the program below: what the doc comments of the library show. */
function hours(clock: () => Date): Service {
  const openNow = defineTool({
    name: 'open_now',
    description: 'Whether a shop is open at this moment',
    input: z.object({ shop: z.string() }),
    annotations: { readOnlyHint: true },
    run: async ({ shop }, deps: { clock: () => Date }) =>
      deps.clock().getHours() < 18 ? `${shop} is open` : `${shop} is closed`,
  })
  return createService({ name: 'hours', version: '1.0.0', tools: [openNow], deps: { clock } })
}

function embed(service: Service): App {
  const home = tempFolder().path
  const load = {
    cwd: home,
    env: { PORTOLAN_HOME: home },
    flags: { overrides: { listen: { port: 0 } } },
  }
  const app = createApp({
    ...load,
    log: createLog({ level: 'error' }),
    watch: (listeners) => watchConfig(load, listeners),
    openService: async (server, settings) =>
      server.name === 'code' ? service : portolan.openService(server, settings),
  })
  onTestFinished(async () => app.close())
  return app
}

it('is a gateway inside another program, with a server of its own', async () => {
  const app = embed(hours(() => new Date(2026, 10, 16, 12)))
  const server = await serveHttp(app, { surface: 'direct' })
  onTestFinished(async () => server.close())
  const client = new Client({ name: 'a-program', version: '1.0.0' })
  const address = new URL(`http://127.0.0.1:${server.port}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(address))
  onTestFinished(async () => client.close())

  const result = await client.callTool({ name: 'code__open_now', arguments: { shop: 'Genoa' } })

  expect(result.content).toEqual([{ type: 'text', text: 'Genoa is open' }])
})

it('reads configuration and decides by rules without serving anything', () => {
  const home = tempFolder().path
  const { servers, rules, settings } = loadConfig({ cwd: home, env: { PORTOLAN_HOME: home } })
  expect([...servers.keys()]).toContain('code')
  expect(rules).toBeUndefined()
  expect(settings.listen.host).toBe('127.0.0.1')

  const agents = { ada: { allow: { servers: ['crm'] } } }
  const policy = createPolicy({ agents, denyOnMissingAgent: true })
  expect(policy.tool({ id: 'ada' }, 'crm', 'list').effect).toBe('allow')
  expect(policy.tool({ id: 'bob' }, 'crm', 'list').effect).toBe('deny')
})
