import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { type DemoServerOptions, startDemoServer } from './demo/server.ts'
import { MAIN, gatewayEnv } from '../../test/support/gateway.ts'
import { startStandalone } from '../../test/support/standalone.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { WebSocketTransport } from '../../test/support/web-socket-transport.ts'

const EWE = '6401492020FLE249'
const MANY = { breed_id: 640, page_size: 25 }

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(async () => client.close())
  return client
}

/** The pack on our own demo API, which the test can watch and break. */
async function anNsip(options: DemoServerOptions = {}) {
  const demo = await startDemoServer({ animals: 2_000, ...options })
  onTestFinished(async () => demo[Symbol.asyncDispose]())
  const args = ['api', 'nsip', '--base-url', demo.url, '--allow-private']
  const { url } = await startStandalone(tempFolder(), args)
  const client = await connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  return { demo, url, client }
}

async function call(client: Client, name: string, args: JsonObject = {}) {
  const result = await client.callTool({ name, arguments: args })
  const content = isObject(result.structuredContent) ? result.structuredContent : {}
  return { isError: result.isError === true, content, tokens: countTokens(JSON.stringify(content)) }
}

function idsOf(value: unknown): string[] {
  return [...new Set(JSON.stringify(value).match(/\d{10}[A-Z]{3}\d{3}/g))].toSorted()
}

it('serves a real client over Streamable HTTP, SSE, WebSocket and stdio', async () => {
  const folder = tempFolder()
  const { url } = await startStandalone(folder, ['api', 'nsip', '--demo'])
  const stdio = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'api', 'nsip', '--demo'],
    cwd: folder.path,
    env: Object.fromEntries(Object.entries(gatewayEnv(folder)).map(([k, v]) => [k, v ?? ''])),
    stderr: 'ignore',
  })
  for (const transport of [
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`)),
    new SSEClientTransport(new URL(`${url}/sse`)),
    new WebSocketTransport(`${url.replace('http', 'ws')}/ws`),
    new WebSocketTransport(`${url.replace('http', 'ws')}/mcp`),
    stdio,
  ]) {
    const client = await connect(transport)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('nsip_search_by_lpn')
    // Its twenty-three, and the one that reads on where a result was shortened.
    expect(tools).toHaveLength(24)
    expect(tools.at(-1)?.name).toBe('read_result')
    expect(await call(client, 'nsip_get_animal', { search_string: EWE })).toMatchObject({
      isError: false,
      content: { lpn_id: EWE, total_progeny: 6 },
    })
    await client.close()
  }
})

it('summarizes a search above 2,000 tokens by 70 % and keeps every identifier', async () => {
  const { client } = await anNsip()
  const whole = await call(client, 'nsip_search_animals', { ...MANY, summarize: false })
  const summary = await call(client, 'nsip_search_animals', MANY)
  expect(whole.tokens).toBeGreaterThan(2_000)
  expect(summary.tokens).toBeLessThanOrEqual(whole.tokens * 0.3)
  expect(idsOf(summary.content)).toEqual(idsOf(whole.content))
  expect(summary.content).toMatchObject({
    _summarized: true,
    _original_token_count: expect.any(Number),
    _summary_token_count: expect.any(Number),
    _reduction_percent: expect.any(Number),
    total_count: whole.content['total_count'],
  })
})

it('summarizes the default page of progeny by 70 % and keeps every identifier', async () => {
  const { client, demo } = await anNsip()
  const [sire] = demo.flock.toSorted((a, b) => b.progeny.length - a.progeny.length)
  const args = { lpn_id: sire?.lpnId }
  const whole = await call(client, 'nsip_get_progeny', { ...args, summarize: false })
  const summary = await call(client, 'nsip_get_progeny', args)
  expect(whole.tokens).toBeGreaterThan(2_000)
  expect(summary.content['_reduction_percent']).toBeGreaterThanOrEqual(70)
  expect(summary.tokens).toBeLessThanOrEqual(whole.tokens * 0.3)
  expect(idsOf(summary.content)).toEqual(idsOf(whole.content))
})

it('keeps every identifier of the largest page, though that takes more than 2,000 tokens', async () => {
  const { client } = await anNsip()
  const page = { breed_id: 640, page_size: 100, page: 2 }
  const whole = await call(client, 'nsip_search_animals', { ...page, summarize: false })
  const summary = await call(client, 'nsip_search_animals', page)
  expect(idsOf(summary.content)).toEqual(idsOf(whole.content))
  expect(summary.content).toMatchObject({ _summarized: true, page: 2, page_size: 100 })
  expect(summary.tokens).toBeLessThan(whole.tokens * 0.3)
})

it('summarizes what is small only when asked, without inventing or losing', async () => {
  const { client, demo } = await anNsip()
  const whole = await call(client, 'nsip_get_animal', { search_string: EWE })
  expect(whole.content).not.toHaveProperty('_summarized')
  const before = demo.requests
  const summary = await call(client, 'nsip_get_animal', { search_string: EWE, summarize: true })
  expect(summary.content).toMatchObject({
    _summarized: true,
    lpn_id: EWE,
    breed: 'Katahdin',
    total_progeny: 6,
    contact_info: whole.content['contact_info'],
    // Two traits of this ewe have no accuracy: they are left out, and nothing breaks.
    top_traits: [
      { trait: 'BWT', value: 0.246, accuracy: 74, units: 'kg' },
      { trait: 'PWWT', value: 4.644, accuracy: 73, units: 'kg' },
      { trait: 'WWT', value: 3.051, accuracy: 71, units: 'kg' },
    ],
  })
  expect(summary.tokens).toBeLessThan(whole.tokens)
  // The flag is about the answer, not about the question: the kept result serves both.
  expect(demo.requests).toBe(before)
})

it('never keeps an error: the first good answer comes through at once', async () => {
  let failing = true
  const { client } = await anNsip({ fault: () => (failing ? 500 : undefined) })
  const refused = await call(client, 'nsip_list_breeds')
  expect(refused).toMatchObject({
    isError: true,
    content: {
      error: { code: -32000, data: { http_status: 500, suggestion: expect.any(String) } },
    },
  })
  failing = false
  expect(await call(client, 'nsip_list_breeds')).toMatchObject({ isError: false })
})

it('never keeps a refusal either', async () => {
  const { client } = await anNsip()
  const bad = { search_string: 'x' }
  expect(await call(client, 'nsip_get_animal', bad)).toMatchObject({
    isError: true,
    content: { error: { code: -32602, data: { parameter: 'search_string' } } },
  })
  expect(await call(client, 'nsip_get_animal', bad)).toMatchObject({ isError: true })
  expect(await call(client, 'get_server_health')).toMatchObject({
    content: { validation: { refused: 2 }, cache: { hits: 0 } },
  })
})

it('measures its health for real: discovery, cache, summaries', async () => {
  const { client, demo } = await anNsip()
  await client.listTools()
  await call(client, 'nsip_search_animals', MANY)
  for (let n = 0; n < 3; n++) await call(client, 'nsip_search_animals', MANY)
  expect(demo.requests).toBe(1)
  const health = await call(client, 'get_server_health')
  expect(health.content).toMatchObject({
    cache: { hits: 3, misses: 1, hit_rate_percent: 75 },
    summarization: { count: 4, average_reduction_percent: expect.any(Number) },
    calls: { api_requests: 1 },
    success_criteria: {
      'SC-001 discovery <5 s': true,
      'SC-006 cache >=40 %': true,
      'SC-007 startup <3 s': true,
    },
  })
  // Asked again, it is measured again: health is not kept.
  expect((await call(client, 'get_server_health')).content['calls']).not.toEqual(
    health.content['calls'],
  )
})

it('answers fifty clients at once', async () => {
  const { url, demo } = await anNsip()
  const ids = demo.flock.slice(0, 50).map(({ lpnId }) => lpnId)
  const clients = await Promise.all(
    ids.map(async () => connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))),
  )
  const answers = await Promise.all(
    clients.map(async (client, n) => call(client, 'nsip_search_by_lpn', { lpn_id: ids[n] })),
  )
  expect(answers.map(({ content }) => content['details'])).toEqual(
    ids.map((id) => expect.objectContaining({ lpn_id: id })),
  )
})

it('tells what is wrong with the transport and ends with 1', async () => {
  const { runCli } = await import('../../test/support/run-cli.ts')
  const bad = await runCli(tempFolder(), ['api', 'nsip'], {
    MCP_TRANSPORT: 'websocket',
    MCP_PORT: '80',
  })
  expect(bad).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('ERROR: Invalid MCP_PORT: 80.'),
  })
})
