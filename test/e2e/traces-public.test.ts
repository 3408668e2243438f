import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { freePort } from '../support/free-port.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { type TracesServer, startTracesServer } from '../support/start-traces-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** An address that the product takes for one of the network, and that only this machine reaches. */
const NETWORK = '127.1'
const PATIENT = { READ_TIMEOUT: '20', WRITE_TIMEOUT: '20' }

/** The deployment of CommonTrace: everything by environment, over the network. */
async function servePublicly(env: Record<string, string>): Promise<{ readonly url: string }> {
  const folder = tempFolder()
  const port = await freePort()
  const child = spawn(process.execPath, [MAIN, 'traces', 'mcp'], {
    cwd: folder.path,
    env: gatewayEnv(folder, {
      MCP_TRANSPORT: 'http',
      MCP_HOST: NETWORK,
      MCP_PORT: String(port),
      ...PATIENT,
      ...env,
    }),
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    if (line.startsWith('portolan listening on ')) {
      child.stderr.resume()
      return { url: `http://127.0.0.1:${port}` }
    }
  }
  throw new Error(`it did not listen: ${said.join('\n')}`)
}

async function aService(): Promise<TracesServer> {
  const service = await startTracesServer({ home: tempFolder().path })
  onTestFinished(async () => void (await service.end('SIGTERM')))
  return service
}

async function register(service: TracesServer, name: string): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/keys`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.com` }),
  })
  return z.object({ api_key: z.string() }).parse(await response.json()).api_key
}

async function connect(url: string, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  )
  onTestFinished(async () => client.close())
  return client
}

it(
  'serves the network with the keys of the traces alone, each caller under its own',
  { timeout: 90_000 },
  async () => {
    const service = await aService()
    const { url } = await servePublicly({ API_BASE_URL: service.url })
    const ada = await connect(url, { 'X-API-Key': await register(service, 'ada') })
    const made = await ada.callTool({
      name: 'contribute_trace',
      arguments: {
        title: 'A socket in TIME_WAIT blocks the restart of the service',
        context_text: 'bind fails with EADDRINUSE for a minute after the old process has ended',
        solution_text: 'Set SO_REUSEADDR before bind, or wait until the kernel frees the port',
      },
    })
    expect(JSON.stringify(made)).toContain('Trace submitted')
    const stranger = await connect(url, { 'X-API-Key': 'ct_made-up' })
    const refused = await stranger.callTool({ name: 'list_tags', arguments: {} })
    expect(JSON.stringify(refused)).toContain('HTTP 401')
  },
)

it('answers nobody there without a key, and shows nothing but its probes', async () => {
  const { url } = await servePublicly({})
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const post = async (path: string, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body,
    })
  const paths = ['/mcp', '/mcp?surface=direct', '/messages', '/mcp/../mcp']
  const statuses = await Promise.all(paths.map(async (path) => (await post(path)).status))
  expect(statuses).toEqual(paths.map(() => 401))
  expect((await post('/mcp', { 'x-api-key': '' })).status).toBe(401)
  expect((await post('/mcp', { authorization: 'Bearer ct_x' })).status).toBe(401)
  expect((await fetch(`${url}/sse`)).status).toBe(401)
  const hidden = ['/metrics', '/api/dashboard/overview', '/']
  const shown = await Promise.all(hidden.map(async (path) => (await fetch(`${url}${path}`)).status))
  expect(shown).toEqual(hidden.map(() => 404))
  expect((await fetch(`${url}/health`)).status).toBe(200)
})

it('still wants keys of the gateway where it is told to', async () => {
  const { stderr, code } = await runBuilt(tempFolder(), ['traces', 'mcp'], {
    MCP_TRANSPORT: 'http',
    MCP_HOST: NETWORK,
    MCP_PORT: String(await freePort()),
    PORTOLAN_AUTH_REQUIRED: 'true',
  })
  expect(stderr).toContain('Refusing to listen on 127.1 without keys')
  expect(code).toBe(1)
})

it('introduces itself on stdio from the first start', async () => {
  const folder = tempFolder()
  const env = Object.entries(gatewayEnv(folder)).map(([name, value]) => [name, value ?? ''])
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'traces', 'mcp'],
      env: Object.fromEntries(env),
      stderr: 'ignore',
    }),
  )
  onTestFinished(async () => client.close())
  expect(client.getInstructions()).toContain('search_traces before you solve')
})
