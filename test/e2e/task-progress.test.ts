import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { openGateway } from '../support/open-gateway.ts'

const SERVER = join(import.meta.dirname, '../support/tasks/progress-server.mjs')

async function startHttp(): Promise<{ readonly url: string }> {
  const port = await freePort()
  const child = spawn('node', [SERVER, String(port)], { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stderr, 'data')
  return { url: `http://127.0.0.1:${port}/mcp` }
}

/** Connects the SDK's client of 2025-11-25, and lists the tools, whose task support it must know. */
async function open(gateway: { readonly url: string }): Promise<Client> {
  const client = new Client({ name: 'suite', version: '1.0.0' })
  const url = new URL(`${gateway.url}/mcp?surface=direct`)
  await client.connect(new StreamableHTTPClientTransport(url))
  onTestFinished(async () => client.close())
  await client.listTools()
  return client
}

it.each([
  ['stdio', async () => ({ command: 'node', args: [SERVER] })],
  ['http', startHttp],
])('the progress of a task of a server of 2025-11-25 arrives, over %s', async (_, start) => {
  const gateway = await openGateway({ servers: { jobs: await start() } })
  const client = await open(gateway)
  const seen: number[] = []
  const onprogress = ({ progress }: { progress: number }) => void seen.push(progress)
  const request = { method: 'tools/call' as const, params: { name: 'work', arguments: {} } }

  // The gateway waits for the task on behalf of a client that asks for none.
  const waited = await client.request(request, CallToolResultSchema, { onprogress })
  expect(waited.content).toMatchObject([{ text: 'ready' }])
  expect(seen).toEqual([1, 2, 3, 4, 5])

  seen.length = 0
  const stream = client.experimental.tasks.requestStream(request, CallToolResultSchema, {
    onprogress,
    task: { ttl: 60_000 },
  })
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  expect(types.at(0)).toBe('taskCreated')
  expect(types.at(-1)).toBe('result')
  expect(seen).toEqual([1, 2, 3, 4, 5])
})
