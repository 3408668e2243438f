import { Client as ClientV2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { CLIENT_INFO } from './session.ts'

/** Opens version 1 of the official SDK, and version 2 in both eras. They check what they receive. */
export async function openOfficialClients(url: string) {
  const v1 = new ClientV1(CLIENT_INFO, { capabilities: { elicitation: {} } })
  await v1.connect(new HttpV1(new URL(url)))
  const legacy = new ClientV2(CLIENT_INFO)
  const modern = new ClientV2(CLIENT_INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  for (const client of [legacy, modern])
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  onTestFinished(async () => {
    await Promise.all([v1.close(), legacy.close(), modern.close()])
  })
  return { v1, legacy, modern }
}
