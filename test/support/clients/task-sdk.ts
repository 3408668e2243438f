import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import type { JsonObject } from '../../../src/base/json/json.ts'

/** The client of version 1 of the official SDK, which supports the tasks of 2025-11-25. */
export async function openSdk(
  gateway: { readonly url: string },
  answer: JsonObject,
  surface = 'direct',
) {
  const client = new Client(
    { name: 'suite', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } } },
  )
  const asked: string[] = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message)
    return { action: 'accept' as const, content: Object(answer) }
  })
  const url = new URL(`${gateway.url}/mcp?surface=${surface}`)
  const requestInit = { headers: { 'x-agent-id': 'ada' } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  onTestFinished(async () => client.close())
  const result = async (taskId: unknown) =>
    client.experimental.tasks.getTaskResult(String(taskId), CallToolResultSchema)
  return { client, asked, result }
}
