import { type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { serveHttp } from '../../src/app/serve.ts'
import type { Front } from '../../src/fronts/front.ts'
import { freePort } from '../support/free-port.ts'
import { runCli } from '../support/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type Effects, effect } from './effect.ts'
import { openToy } from './open-toy.ts'

const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'a-client', version: '1' },
  },
})

/** A gateway over HTTP on a free port, unless a port is what is set. */
async function served(env: Record<string, string>) {
  const { app } = await openToy({ MCP_PORT: String(await freePort()), ...env })
  const server = await serveHttp(app, { surface: undefined })
  onTestFinished(async () => server.close())
  const ask = async (path: string, headers: Record<string, string> = {}, body?: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(
        {
          host: app.config.settings.listen.host,
          port: server.port,
          path,
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            ...headers,
          },
        },
        (response: IncomingMessage) => {
          response.resume().on('end', () => resolve(response.statusCode))
        },
      )
      asked.once('error', reject)
      asked.end(body)
    })
  return { app, server, ask }
}

/** What happens when the gateway is told to stop while a call still runs for a while. */
async function leaving(env: Record<string, string>): Promise<string> {
  const { app, logged } = await openToy(env)
  const endsAt = Date.now() + 200
  const front: Front = {
    balanced: true,
    inFlight: () => (Date.now() < endsAt ? 1 : 0),
    endSubscriptions: () => undefined,
    close: async () => undefined,
  }
  await app.leave(front)
  return logged()
}

/** The section `listen`. */
export const LISTEN: Effects = {
  'listen.transport': effect(
    'http',
    async (env) => {
      // It cannot bind a port of another machine: enough to see that it tries.
      const { stderr } = await runCli(tempFolder(), [], { MCP_HOST: '203.0.113.1', ...env })
      return /listen/.test(stderr) ? 'HTTP' : 'stdio'
    },
    ['stdio', 'HTTP'],
  ),
  'listen.host': effect(
    'localhost',
    async (env) => {
      const { app, ask } = await served(env)
      return [new URL(app.dashboardUrl ?? '').hostname, await ask('/health')]
    },
    [
      ['127.0.0.1', 200],
      ['localhost', 200],
    ],
  ),
  'listen.port': effect(
    '0',
    async (env) => {
      const wanted = await freePort()
      const { server } = await served({ MCP_PORT: String(wanted), ...env })
      return server.port === wanted ? 'that of MCP_PORT' : 'any'
    },
    ['that of MCP_PORT', 'any'],
  ),
  'listen.publicUrl': effect(
    'https://tools.example',
    async (env) => {
      const { app, ask } = await served(env)
      return [await ask('/health', { host: 'tools.example' }), app.dashboardUrl?.slice(0, 8)]
    },
    [
      [403, 'http://1'],
      [200, 'https://'],
    ],
  ),
  'listen.path': effect(
    '/tools',
    async (env) => (await served(env)).ask('/tools', {}, HELLO),
    [404, 200],
  ),
  'listen.allowedHosts': effect(
    'tools.example',
    async (env) => (await served(env)).ask('/health', { host: 'tools.example' }),
    [403, 200],
  ),
  'listen.allowedOrigins': effect(
    'https://app.example',
    async (env) => (await served(env)).ask('/health', { origin: 'https://app.example' }),
    [403, 200],
  ),
  'listen.maxBodyBytes': effect(
    '10',
    async (env) => (await served(env)).ask('/mcp', {}, HELLO),
    [200, 413],
  ),
  'listen.drainMs': effect(
    '30',
    async (env) => (await leaving(env)).includes('serving for another 30 ms'),
    [false, true],
  ),
  'listen.finishMs': effect(
    '1',
    async (env) => /did not end within 1 ms|all calls have ended/.exec(await leaving(env))?.[0],
    ['all calls have ended', 'did not end within 1 ms'],
  ),
}

/** The section `auth` where it needs no token. */
export const AUTH: Effects = {
  'auth.required': effect('true', async (env) => (await openToy(env)).call('toy__count'), [
    '1',
    'UNAUTHENTICATED',
  ]),
  'auth.defaultAgent': effect(
    'ada',
    async (env) => {
      const rules = {
        agents: { ada: { allow: { servers: ['*'] } }, default: {} },
        defaults: { deny_on_missing_agent: false },
      }
      return (await openToy(env, { rules })).call('toy__count')
    },
    ['DENIED_BY_POLICY', '1'],
  ),
}
