import { Client, SSEClientTransport } from '@modelcontextprotocol/client'
import { spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { MAIN, gatewayEnv, untilListening } from '../../support/gateway.ts'
import { sendJson, serveHttp } from '../../support/http-server.ts'
import { openDoor } from '../../support/front-doors/open-door.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { WebSocketTransport } from '../../support/web-socket-transport.ts'

// The usage examples of "Context-Efficient API-to-MCP Gateway", with `portolan api nsip`.
it('stdio is the default, and the server has the name of the original', async () => {
  const { client, use } = await openDoor(tempFolder(), ['api', 'nsip', '--demo'])
  expect(client.getServerVersion()).toMatchObject({ name: 'NSIP Sheep Breeding Data' })
  expect((await use('nsip_list_breeds')).text).toContain('Katahdin')
})

it.each([
  ['http-sse', (url: string) => new SSEClientTransport(new URL(`${url}/sse`))],
  ['websocket', (url: string) => new WebSocketTransport(`${url.replace('http', 'ws')}/ws`)],
])('MCP_TRANSPORT=%s with MCP_PORT', async (transport, connect) => {
  const folder = tempFolder()
  const port = await freePort()
  const env = { MCP_TRANSPORT: transport, MCP_PORT: String(port) }
  const child = spawn(process.execPath, [MAIN, 'api', 'nsip', '--demo'], {
    cwd: folder.path,
    env: gatewayEnv(folder, env),
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const { url: said, close } = await untilListening(child)
  onTestFinished(close)
  const url = said.replace(/,$/, '')
  expect(new URL(url).port).toBe(String(port))
  const client = new Client({ name: 'door', version: '1' })
  await client.connect(connect(url))
  onTestFinished(async () => client.close())
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('nsip_get_animal')
})

it('an unknown MCP_TRANSPORT is refused with those that there are', async () => {
  const env = { MCP_TRANSPORT: 'pigeon', MCP_PORT: '8000' }
  await expect(openDoor(tempFolder(), ['api', 'nsip', '--demo'], env)).rejects.toThrow(
    /Invalid MCP_TRANSPORT: pigeon.*stdio, streamable-http, websocket/,
  )
})

const JOB = {
  openapi: '3.1.0',
  info: { title: 'Jobs', version: '1' },
  paths: {
    '/jobs/{id}': {
      get: {
        operationId: 'getJob',
        summary: 'How far a job is',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { '200': { description: 'fine' } },
      },
    },
  },
}

it.each(['no-store', 'no-cache', 'max-age=0', undefined])(
  'a job that is polled behind an API is seen to end (Cache-Control: %s)',
  async (freshness) => {
    let polls = 0
    const api = await serveHttp((_, response) => {
      polls += 1
      if (freshness !== undefined) response.setHeader('Cache-Control', freshness)
      sendJson(response, { status: polls > 3 ? 'done' : 'running' })
    })
    onTestFinished(async () => api[Symbol.asyncDispose]())
    const folder = tempFolder()
    folder.write('jobs.json', { ...JOB, servers: [{ url: api.url }] })
    const args = ['api', folder.file('jobs.json'), '--allow-private']
    const { use } = await openDoor(folder, args)
    const said: unknown[] = []
    for (let n = 0; n < 5; n += 1) said.push((await use('getJob', { id: '7' })).data['status'])
    expect(said).toEqual(['running', 'running', 'running', 'done', 'done'])
  },
)

it('the pack keeps its hour, and no_cache asks again', async () => {
  const { use } = await openDoor(tempFolder(), ['api', 'nsip', '--demo'])
  await use('nsip_list_breeds')
  await use('nsip_list_breeds')
  const health = async () => JSON.stringify((await use('get_server_health')).data)
  expect(await health()).toMatch(/"hits":1,"misses":1/)
  await use('nsip_list_breeds', { no_cache: true })
  expect(await health()).toMatch(/"misses":2|"hits":1/)
})
