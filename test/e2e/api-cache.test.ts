import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { aSpec } from '../support/a-spec.ts'
import { startGateway } from '../support/gateway.ts'
import { type Answer, serveHttp } from '../support/http-server.ts'
import { startStandalone } from '../support/standalone.ts'
import { tempFolder } from '../support/temp-folder.ts'

const query = [{ name: 'q', in: 'query', schema: { type: 'string' } }]
const json = { 200: { description: 'fine', content: { 'application/json': { schema: {} } } } }
const spec = aSpec({
  '/jobs': {
    get: { operationId: 'readJobs', parameters: query, responses: json },
    post: { operationId: 'addJob', responses: json },
  },
})

type Headers = Readonly<Record<string, string>>

/** An API whose answers are numbered, with headers that a test may change. */
async function anApi(headers: Headers = {}) {
  const state = { headers, count: 0, status: 200 }
  const answer: Answer = ({ method }, response) => {
    state.count += 1
    const body = method === 'GET' && state.status === 200 ? JSON.stringify({ n: state.count }) : ''
    response.writeHead(state.status, { 'content-type': 'application/json', ...state.headers })
    response.end(body)
  }
  const server = await serveHttp(answer)
  onTestFinished(async () => server[Symbol.asyncDispose]())
  return { server, state }
}

async function connect(url: string, agent?: string): Promise<Client> {
  const headers = agent === undefined ? {} : { 'x-agent-id': agent }
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers },
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(async () => client.close())
  return client
}

/** A gateway before the API, with two agents. */
async function twoAgents(url: string, entry: JsonObject = {}, settings: JsonObject = {}) {
  const folder = tempFolder()
  folder.write('api.json', spec)
  const api = { openapi: './api.json', baseUrl: url, allowPrivate: true, ...entry }
  folder.write('.mcp.json', { mcpServers: { api } })
  const everything = { allow: { servers: ['*'] } }
  folder.write('.mcp-gateway-rules.json', { agents: { ada: everything, bob: everything } })
  folder.write('portolan.yaml', settings)
  const gateway = await startGateway(folder)
  const callerOf = async (agent: string) => {
    const client = await connect(gateway.url, agent)
    return async (tool = 'readJobs', args: JsonObject = {}, options: JsonObject = {}) =>
      toAnswer(
        await client.callTool({
          name: 'execute_tool',
          arguments: { server: 'api', tool, args, ...options },
        }),
      )
  }
  return { ada: await callerOf('ada'), bob: await callerOf('bob') }
}

function toAnswer({ structuredContent, _meta }: JsonObject) {
  const { n } = Object(structuredContent)
  return { n, cached: Object(_meta)['portolan/cache'] }
}

it.each([
  ['nothing', {}],
  ['no-store', { 'cache-control': 'no-store' }],
  ['no-cache', { 'cache-control': 'no-cache' }],
  ['max-age=0', { 'cache-control': 'max-age=0' }],
])('asks the API each time if its answer says %s about caching', async (_, headers) => {
  const { server, state } = await anApi(headers)
  const { ada } = await twoAgents(server.url)
  for (let poll = 1; poll <= 4; poll++) expect(await ada()).toEqual({ n: poll, cached: undefined })
  expect(state.count).toBe(4)
})

it('keeps an answer for one agent as long as it says, and shows its age', async () => {
  const { server } = await anApi({ 'cache-control': 'max-age=600', age: '60' })
  const { ada, bob } = await twoAgents(server.url)
  expect(await ada()).toEqual({ n: 1, cached: undefined })
  const cached = { as_of: expect.any(String), age_seconds: expect.any(Number) }
  const again = await ada()
  expect(again).toEqual({ n: 1, cached })
  expect(again.cached.age_seconds).toBeGreaterThanOrEqual(60)
  expect(await bob()).toEqual({ n: 2, cached: undefined })
  expect(await ada('readJobs', {}, { no_cache: true })).toEqual({ n: 3, cached: undefined })
  expect(await ada()).toMatchObject({ n: 3, cached })
})

it('shares an answer between agents only if it is public and no credential was sent', async () => {
  const { server } = await anApi({ 'cache-control': 'public, max-age=600' })
  const open = await twoAgents(server.url)
  expect([(await open.ada()).n, (await open.bob()).n]).toEqual([1, 1])
  const auth = { type: 'bearer', token: 'secret-token' }
  const closed = await twoAgents(server.url, { auth })
  expect([(await closed.ada()).n, (await closed.bob()).n]).toEqual([2, 3])
  const headers = { 'X-Tenant-Key': 'secret-token' }
  const tenant = await twoAgents(server.url, { headers })
  expect([(await tenant.ada()).n, (await tenant.bob()).n]).toEqual([4, 5])
})

it('asks whether an expired answer is still right, and takes another one if it is not', async () => {
  const { server, state } = await anApi({ 'cache-control': 'no-cache', etag: '"one"' })
  const { ada } = await twoAgents(server.url)
  expect((await ada()).n).toBe(1)
  state.status = 304
  expect(await ada()).toMatchObject({ n: 1, cached: { age_seconds: 0 } })
  expect(server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"one"'])
  state.headers = { 'cache-control': 'max-age=600', etag: '"one"' }
  expect((await ada()).n).toBe(1)
  const asked = state.count
  expect((await ada()).n).toBe(1)
  expect(state.count).toBe(asked)
})

it('forgets what it read once something is written, for all agents', async () => {
  const { server } = await anApi({ 'cache-control': 'max-age=600' })
  const { ada, bob } = await twoAgents(server.url)
  await ada()
  await bob()
  await ada('addJob')
  expect([(await ada()).n, (await bob()).n]).toEqual([4, 5])
})

it('keeps what says nothing only as the entry or the settings say, and nothing that is forbidden', async () => {
  const { server, state } = await anApi()
  const entry = await twoAgents(server.url, { cacheSeconds: 600 })
  expect([(await entry.ada()).n, (await entry.ada()).n, (await entry.bob()).n]).toEqual([1, 1, 2])
  const tools = { 'api.readJobs': { ttlMs: 600_000, shared: true } }
  const settings = await twoAgents(server.url, {}, { cache: { tools } })
  expect([(await settings.ada()).n, (await settings.bob()).n]).toEqual([3, 3])
  state.headers = { 'cache-control': 'no-store' }
  expect([
    (await entry.ada('readJobs', { q: 'a' })).n,
    (await entry.ada('readJobs', { q: 'a' })).n,
  ]).toEqual([4, 5])
})

it('asks again with no_cache when the API is served by itself, too', async () => {
  const { server } = await anApi({ 'cache-control': 'max-age=600' })
  const folder = tempFolder()
  folder.write('api.json', spec)
  const args = ['api', 'api.json', '--base-url', server.url, '--allow-private']
  const client = await connect((await startStandalone(folder, args)).url)
  const read = async (given: JsonObject = {}) =>
    toAnswer(await client.callTool({ name: 'readJobs', arguments: given }))
  expect([(await read()).n, (await read()).n]).toEqual([1, 1])
  expect(await read({ no_cache: true })).toEqual({ n: 2, cached: undefined })
  expect((await read()).n).toBe(2)
  expect(server.seen.at(-1)?.url.search).toBe('')
})
