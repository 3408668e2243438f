import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { builtinContext } from '../../src/app/builtins/builtin-context.ts'
import { openTracesService } from '../../src/builtins/traces/open-traces-service.ts'
import { serveTraces } from '../../src/cli/traces/serve-traces.ts'
import { gatewayEnv } from '../support/gateway.ts'
import { sendJson, serveHttp } from '../support/http-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { aTrace } from '../support/traces-client.ts'
import { use } from '../support/use-tool.ts'
import { type Effects, beside, effect } from './effect.ts'
import { sectionOf } from './traces-effects.ts'

type Env = Record<string, string>

/** A traces service elsewhere, which takes its time; what tools say that use it, and what it was asked. */
async function elsewhere(env: Env, { afterMs = 0, status = 200 } = {}) {
  const asked: (string | string[] | undefined)[] = []
  const { url } = await serveHttp(({ url: path, headers }, response) => {
    if (path.pathname === '/health') return sendJson(response, {})
    asked.push(headers['x-api-key'])
    return void wait(afterMs).then(() => sendJson(response, { tags: [] }, status))
  })
  const wanted = {
    PORTOLAN_TRACES_URL: url,
    COMMONTRACE_API_KEY: 'a-key',
    // A busy machine must not look like a slow service.
    PORTOLAN_TRACES_READ_TIMEOUT: '20',
    PORTOLAN_TRACES_WRITE_TIMEOUT: '20',
    ...env,
  }
  const folder = tempFolder()
  const context = builtinContext({
    env: sectionOf(wanted),
    home: folder.path,
    cwd: folder.path,
  })
  const tools = await openTracesService(context)
  onTestFinished(async () => tools.close())
  return { tools, asked }
}

const tags = async ({ tools }: Awaited<ReturnType<typeof elsewhere>>) =>
  (await use(tools, 'list_tags')).text

/** The answer of the service as `portolan traces serve` runs it. */
async function served(env: Env, headers: Record<string, string>): Promise<number> {
  const folder = tempFolder()
  const options = { host: '127.0.0.1', port: 0, version: '1.0.0' }
  const running = await serveTraces(gatewayEnv(folder, env), options)
  onTestFinished(async () => running.close())
  return new Promise((resolve, reject) => {
    const asked = request(`${running.url}/health`, { headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    asked.once('error', reject).end()
  })
}

/** The service over the network: who may reach it, and how the tools reach another one. */
export const TRACES_ELSEWHERE: Effects = {
  'traces.corsOrigins': effect(
    'https://app.example',
    async (env) => served(env, { origin: 'https://app.example' }),
    [403, 200],
  ),
  'traces.allowedHosts': effect(
    'traces.example',
    async (env) => served(env, { host: 'traces.example' }),
    [403, 200],
  ),
  'traces.url': effect(
    'http://127.0.0.1:9',
    async (env) => {
      const { tools, asked } = await elsewhere(env)
      await use(tools, 'list_tags')
      return asked.length
    },
    [1, 0],
  ),
  'traces.apiKey': effect(
    'another-key',
    async (env) => {
      const { tools, asked } = await elsewhere(env)
      await use(tools, 'list_tags')
      return asked[0]
    },
    ['a-key', 'another-key'],
  ),
  'traces.readTimeout': effect(
    '0.05',
    async (env) => (await tags(await elsewhere(env, { afterMs: 600 }))).includes('took too long'),
    [false, true],
  ),
  'traces.writeTimeout': effect(
    '0.05',
    async (env) => {
      const { tools } = await elsewhere(env, { afterMs: 600, status: 202 })
      return (await use(tools, 'contribute_trace', aTrace())).text.includes('in time')
    },
    [false, true],
  ),
  'traces.circuitFailureThreshold': effect(
    '1',
    async (env) => {
      const remote = await elsewhere(env, { status: 500 })
      await tags(remote)
      await tags(remote)
      return remote.asked.length
    },
    [2, 1],
  ),
  'traces.circuitRecoveryTimeout': effect(
    '0.01',
    beside({ PORTOLAN_TRACES_CIRCUIT_FAILURE_THRESHOLD: '1' }, async (env) => {
      const remote = await elsewhere(env, { status: 500 })
      await tags(remote)
      await wait(100)
      await tags(remote)
      return remote.asked.length
    }),
    [1, 2],
  ),
  'traces.skills': effect(
    '3',
    async (env) => 'extensions' in (await elsewhere(env)).tools.capabilities,
    [false, true],
  ),
}
