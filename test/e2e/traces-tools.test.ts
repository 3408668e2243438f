import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { aTrace } from '../support/traces-client.ts'
import { MAIN, gatewayEnv, startGateway } from '../support/gateway.ts'
import { sendJson, serveHttp } from '../support/http-server.ts'
import { runBuilt } from '../support/run-built.ts'
import { startStandalone } from '../support/standalone.ts'
import { type TracesServer, startTracesServer } from '../support/start-traces-server.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

// A busy machine must not decide what these tests say: only those about time keep the usual limits.
const PATIENT = { READ_TIMEOUT: '20', WRITE_TIMEOUT: '20' }

const undone: (() => void | Promise<void>)[] = []
let service: TracesServer

beforeAll(async () => {
  service = await startTracesServer({ home: tempFolder((undo) => undone.push(undo)).path })
})
afterAll(async () => {
  await service.end('SIGTERM')
  for (const undo of undone) await undo()
})

async function register(name: string): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/keys`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.com` }),
  })
  return z.object({ api_key: z.string() }).parse(await response.json()).api_key
}

type Way = 'stdio' | 'http'

/** A client of `portolan traces mcp`, with its key where the way has a place for it. */
async function connected(way: Way, env: Record<string, string>, key?: string): Promise<Client> {
  const folder = tempFolder()
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    way === 'stdio' ? overStdio(folder, env, key) : await overHttp(folder, env, key),
  )
  onTestFinished(async () => client.close())
  return client
}

function overStdio(folder: TempFolder, env: Record<string, string>, key: string | undefined) {
  const all = { ...gatewayEnv(folder, env), ...(key !== undefined && { COMMONTRACE_API_KEY: key }) }
  return new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'traces', 'mcp'],
    env: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? ''])),
    stderr: 'ignore',
  })
}

async function overHttp(folder: TempFolder, env: Record<string, string>, key: string | undefined) {
  const { url } = await startStandalone(folder, ['traces', 'mcp'], env)
  const headers = { ...(key !== undefined && { 'X-API-Key': key }) }
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
}

const answer = z.looseObject({
  content: z.array(z.looseObject({ type: z.literal('text'), text: z.string() })).length(1),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
})

async function use(client: Client, name: string, args: Record<string, unknown> = {}) {
  const started = performance.now()
  const result = answer.parse(await client.callTool({ name, arguments: args }))
  const ms = performance.now() - started
  return { text: result.content[0]?.text ?? '', ...result, ms }
}

describe.each<[Way, 'embedded' | 'remote']>([
  ['stdio', 'embedded'],
  ['stdio', 'remote'],
  ['http', 'embedded'],
  ['http', 'remote'],
])('the traces tools over %s, %s', (way, place) => {
  it('go once around, and every field of the API gets through', async () => {
    const remote = { API_BASE_URL: service.url }
    const key = place === 'remote' ? await register(`agent-${way}`) : undefined
    const client = await connected(way, { ...PATIENT, ...(place === 'remote' && remote) }, key)
    expect(client.getServerVersion()).toMatchObject({ name: expect.any(String) })
    const { tools } = await client.listTools()
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['search_traces', true],
      ['contribute_trace', false],
      ['vote_trace', false],
      ['get_trace', true],
      ['list_tags', true],
      ['amend_trace', false],
    ])
    expect(JSON.stringify(tools)).not.toMatch(/api.?key/i)

    const word = `zyx${way}${place}`
    const given = {
      ...aTrace({ title: `The ${word} socket closes early`, tags: [word, word] }),
      agent_model: 'm-1',
      agent_version: '2.0',
      tokens_to_resolution: 1_200,
      review_after: '2030-01-01T00:00:00Z',
      watch_condition: 'a release that closes it late',
      metadata_json: { language: 'go', error_message: 'EOF', error_count: 3 },
    }
    const contributed = await use(client, 'contribute_trace', given)
    expect(contributed.text).toMatch(
      /^Trace submitted successfully \(ID: [\w-]+\)\. Status: pending — it will be validated after community review\.$/,
    )
    const id = contributed.structuredContent?.['id']
    const found = await use(client, 'search_traces', { query: word, context: { language: 'go' } })
    const hits = found.text.split(/\n(?=\d+\. )/).slice(1)
    expect(found.text).toMatch(new RegExp(`^Found ${hits.length} result\\(s\\) for "${word}":`))
    const [first, ...others] = hits
    expect(found.structuredContent).toMatchObject({
      total: hits.length,
      results: [{ id }, ...others.map(() => ({ weak: true }))],
    })
    expect(first).toMatch(
      /^1\. \[PENDING\] The \S+ socket closes early \(score: \d\.\d\d, trust: 0\.0, retrievals: 0, depth: \d\)\n   Tags: zyx\S+\n   Context: ".*"\n   Solution: ".*"\n   ID: [\w-]+/,
    )
    expect(first).toContain(`The ${word} socket`)
    for (const other of others) expect(other, 'is merely near').toContain('[WEAK]')
    const amended = await use(client, 'amend_trace', {
      trace_id: id,
      improved_solution: `Keep the ${word} socket open until the peer has closed it.`,
      explanation: 'It says when.',
    })
    expect(amended.text).toMatch(/^Amendment submitted \(ID: /)
    const read = await use(client, 'get_trace', { trace_id: id })
    expect(read.text).toContain('until the peer has closed it')
    expect(read.structuredContent).toMatchObject({
      degraded: false,
      agent_model: 'm-1',
      agent_version: '2.0',
      watch_condition: 'a release that closes it late',
      metadata_json: { language: 'go', tokens_to_resolution: 1_200 },
      amendments: [{ explanation: 'It says when.' }],
    })
    expect((await use(client, 'list_tags')).text).toMatch(/^Available tags \(\d+ total\):\n/)
    const own = await use(client, 'vote_trace', { trace_id: id, vote_type: 'up' })
    expect(own.text).toBe('[CommonTrace error] Cannot vote on your own trace (HTTP 403)')
    expect(own.isError).toBeUndefined()
    expect((await use(client, 'search_traces')).text).toBe(
      'Please provide a query, tags, or both to search.',
    )
  })
})

describe('the traces tools when the service is not well', () => {
  it.each<Way>(['stdio', 'http'])(
    'answer in time over %s, in words, never with a failed call, and recover by themselves',
    async (way) => {
      let status = 200
      await using slow = await serveHttp((_, response) => {
        if (status !== 0) sendJson(response, { tags: ['a'] }, status)
      })
      const env = { API_BASE_URL: slow.url, CIRCUIT_RECOVERY_TIMEOUT: '1' }
      const client = await connected(way, env, 'some-key')
      status = 500
      const reasons = []
      for (let n = 0; n < 7; n += 1) {
        const { structuredContent, isError } = await use(client, 'list_tags')
        expect(isError).toBeUndefined()
        reasons.push(structuredContent?.['reason'])
      }
      expect(reasons.slice(5)).toEqual(['circuit_open', 'circuit_open'])
      // The connection is made before the first call, and without a key.
      const calls = slow.seen.filter(({ url }) => url.pathname !== '/health')
      expect(new Set(calls.map(({ headers }) => headers['x-api-key']))).toEqual(
        new Set(['some-key']),
      )
      expect(calls.length).toBeLessThanOrEqual(5)
      status = 0
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      const late = await use(client, 'get_trace', { trace_id: crypto.randomUUID() })
      expect(late.text).toMatch(/^\[CommonTrace timeout\]/)
      expect(late.ms).toBeLessThan(10_000)
      status = 200
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      expect((await use(client, 'list_tags')).text).toBe('Available tags (1 total):\na')
    },
  )

  it('say which key is missing, and take the one of the connection before that of the environment', async () => {
    const folder = tempFolder()
    const keyless = await connected('stdio', { API_BASE_URL: service.url, ...PATIENT })
    expect((await use(keyless, 'list_tags')).text).toMatch(/^\[CommonTrace error\] No API key/)
    const key = await register('of-the-environment')
    const env = { API_BASE_URL: service.url, COMMONTRACE_API_KEY: key, ...PATIENT }
    const { url } = await startStandalone(folder, ['traces', 'mcp'], env)
    const over = async (headers: Record<string, string>) => {
      const client = new Client({ name: 'test', version: '1' })
      onTestFinished(async () => client.close())
      const requestInit = { headers }
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }),
      )
      return use(client, 'list_tags')
    }
    expect((await over({})).text).toMatch(/^Available tags/)
    expect((await over({ 'X-API-Key': 'forged' })).text).toBe(
      '[CommonTrace error] Invalid API key (HTTP 401)',
    )
    const health = await fetch(`${url}/health`)
    expect([health.status, await health.json()]).toEqual([
      200,
      expect.objectContaining({ status: 'healthy' }),
    ])
  })

  it('are not given the key that was meant for the gateway', async () => {
    const folder = tempFolder()
    folder.write('.mcp.json', { mcpServers: { traces: { builtin: 'traces' } } })
    const { stdout } = await runBuilt(folder, ['keys', 'create', 'ada'])
    const { url } = await startGateway(folder, [], PATIENT)
    const client = new Client({ name: 'test', version: '1' })
    onTestFinished(async () => client.close())
    const requestInit = { headers: { 'X-API-Key': stdout.trim() } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
    const { text } = await use(client, 'execute_tool', { server: 'traces', tool: 'list_tags' })
    expect(text).toMatch(/^Available tags/)
  })
})
