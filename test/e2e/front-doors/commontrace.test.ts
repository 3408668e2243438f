import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { commonTraceBackend } from '../../support/front-doors/common-trace-backend.ts'
import { startMoodyServer } from '../../support/front-doors/moody-server.ts'
import { openDoor } from '../../support/front-doors/open-door.ts'
import { tempFolder } from '../../support/temp-folder.ts'

// The snippets of "Phase 5: MCP Server", with `portolan traces mcp` in the place of its server.
const KEY = 'ct_your_key_here'
const PATIENT = { READ_TIMEOUT: '20', WRITE_TIMEOUT: '20' }

async function isReachedAt(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

it('the compose service: its variables, in an image that listens for all', async () => {
  const api = await startMoodyServer(commonTraceBackend(KEY))
  const port = await freePort()
  const door = await openDoor(
    tempFolder(),
    ['traces', 'mcp'],
    {
      PORTOLAN_LISTEN_HOST: '0.0.0.0',
      API_BASE_URL: api.url,
      MCP_TRANSPORT: 'http',
      MCP_PORT: String(port),
      ...PATIENT,
    },
    { 'X-API-Key': KEY },
  )
  expect(door.client.getServerVersion()).toMatchObject({ name: 'CommonTrace' })
  // On Linux, the whole block 127.0.0.0/8 is this machine: only a server for all answers there.
  expect(await isReachedAt('127.0.0.2', port)).toBe(true)
  const health = await fetch(`http://127.0.0.1:${port}/health`)
  expect(await health.json()).toMatchObject({ status: 'healthy', service: 'commontrace-mcp' })
  expect((await door.use('search_traces', { query: 'jwt' })).text).toContain('FastAPI JWT auth')
  expect(api.seen.at(-1)).toMatchObject({ method: 'POST', body: expect.stringContaining('"jwt"') })
  expect(door.log()).toMatch(/Reads the variables of CommonTrace: API_BASE_URL,.*MCP_PORT/)
})

it('without an image it listens for this machine only, and says how to change that', async () => {
  const port = await freePort()
  const env = { MCP_TRANSPORT: 'http', MCP_PORT: String(port) }
  const door = await openDoor(tempFolder(), ['traces', 'mcp'], env, { 'X-API-Key': KEY })
  expect(await isReachedAt('127.0.0.2', port)).toBe(false)
  expect(door.log()).toContain('Listens for this machine only, where CommonTrace listened for all')
})

it('the stdio line: a key and nothing else calls the default address, and says so', async () => {
  const door = await openDoor(tempFolder(), ['traces', 'mcp'], { COMMONTRACE_API_KEY: KEY })
  await expect.poll(door.log).toContain('calls the service at http://localhost:8000')
})

it('the key of the environment is used where there are no headers, and every tool works', async () => {
  const api = await startMoodyServer(commonTraceBackend(KEY))
  const env = { API_BASE_URL: api.url, COMMONTRACE_API_KEY: KEY, ...PATIENT }
  const { client, use } = await openDoor(tempFolder(), ['traces', 'mcp'], env)
  const { tools } = await client.listTools()
  for (const tool of tools) expect(JSON.stringify(tool.inputSchema)).not.toMatch(/api_key|headers/)
  const id = '0e4c5a52-8c0a-4f37-9b58-4df9b8a1a001'
  const trace = { title: 'A', context_text: 'b', solution_text: 'c', tags: ['fastapi'] }
  for (const [tool, args, text] of [
    ['search_traces', { query: 'jwt', tags: ['fastapi'], limit: 10 }, 'FastAPI JWT auth setup'],
    ['get_trace', { trace_id: id }, 'Set leeway'],
    ['contribute_trace', trace, id],
    ['vote_trace', { trace_id: id, vote_type: 'up' }, 'ote'],
    ['list_tags', {}, 'fastapi, jwt'],
  ] as const) {
    const answer = await use(tool, args)
    expect(answer).toMatchObject({ isError: false, text: expect.stringContaining(text) })
  }
})

it('counts no requests: forty-five list_tags reach the service', async () => {
  const api = await startMoodyServer(commonTraceBackend(KEY))
  const env = { API_BASE_URL: api.url, COMMONTRACE_API_KEY: KEY, ...PATIENT }
  const { use } = await openDoor(tempFolder(), ['traces', 'mcp'], env)
  for (let n = 0; n < 45; n += 1) expect((await use('list_tags')).text).toContain('fastapi')
  expect(api.seen.filter(({ url }) => url.pathname === '/api/v1/tags')).toHaveLength(45)
})

it('a service that hangs from the start costs a read 200 ms, and five reads open the circuit', async () => {
  const api = await startMoodyServer(commonTraceBackend(KEY), 'hanging')
  const env = { API_BASE_URL: api.url, COMMONTRACE_API_KEY: KEY }
  const { use } = await openDoor(tempFolder(), ['traces', 'mcp'], env)
  const first = await use('search_traces', { query: 'jwt' })
  expect(first).toMatchObject({
    isError: false,
    text: expect.stringMatching(/^\[CommonTrace timeout\] Search took too long and was cancelled/),
  })
  for (let n = 0; n < 4; n += 1) await use('search_traces', { query: 'jwt' })
  expect((await use('search_traces', { query: 'jwt' })).text).toMatch(
    /^\[CommonTrace unavailable\]/,
  )
})

it('a file .env is left out, with a line that says so', async () => {
  const folder = tempFolder()
  folder.write('.env', 'API_BASE_URL=http://127.0.0.1:9\n')
  const { log } = await openDoor(folder, ['traces', 'mcp'])
  await expect.poll(log).toMatch(/Leaves out .*\.env \(API_BASE_URL\), as nobody has trusted it/)
})
