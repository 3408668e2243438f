import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startGateway } from '../support/gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The official client, which does not open a new session when its own is unknown. */
async function connect(url: string, headers: Record<string, string> = {}) {
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp?surface=direct`), {
    requestInit: { headers },
  })
  const client = new Client({ name: 'patient', version: '1' })
  await client.connect(transport)
  const echo = async (text: string) => client.callTool({ name: 'echo', arguments: { text } })
  return { client, transport, echo }
}

/** Returns the HTTP status of a request in a session. */
async function statusOf(
  url: string,
  sessionId: string | undefined,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await fetch(`${url}/mcp?surface=direct`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': sessionId ?? '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  return response.status
}

it('clients go on with their sessions after the gateway was restarted or killed', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { only: stdioUpstream() } })
  const port = await freePort()
  const start = async () => startGateway(folder, ['--port', String(port)])
  const first = await start()
  const { client, transport, echo } = await connect(first.url)
  const { sessionId } = transport
  expect(JSON.stringify(await echo('before'))).toContain('before')
  await first.close()

  const second = await start()
  expect(JSON.stringify(await echo('after a restart'))).toContain('after a restart')
  const other = await connect(second.url)
  // At once: nothing of a session has to be written first.
  second.child.kill('SIGKILL')
  await once(second.child, 'exit')

  const third = await start()
  expect(JSON.stringify(await echo('after a kill'))).toContain('after a kill')
  expect(transport.sessionId).toBe(sessionId)
  await client.close()
  const ended = other.transport.sessionId
  expect(await statusOf(third.url, ended)).toBe(200)
  await other.transport.terminateSession()
  expect(await statusOf(third.url, ended)).toBe(404)
  expect(existsSync(folder.file('data/sessions'))).toBe(false)

  const elsewhere = tempFolder()
  elsewhere.write('.mcp.json', { mcpServers: { only: stdioUpstream() } })
  const { url } = await startGateway(elsewhere)
  expect(await statusOf(url, sessionId), 'the secret of another data folder').toBe(404)
})

it('a session belongs to the key that opened it, also after a restart', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { only: stdioUpstream() } })
  folder.write('.mcp-gateway-rules.json', {
    agents: { ada: { allow: { servers: ['*'] } }, eve: { allow: { servers: ['*'] } } },
  })
  const key = async (agent: string) => {
    const { stdout } = await runBuilt(folder, ['keys', 'create', agent])
    return { authorization: `Bearer ${stdout.trim()}` }
  }
  const [ada, eve] = [await key('ada'), await key('eve')]
  const port = await freePort()
  const first = await startGateway(folder, ['--port', String(port)])
  const { transport } = await connect(first.url, ada)
  await first.close()
  const { url } = await startGateway(folder, ['--port', String(port)])
  const status = async (headers: Record<string, string>) =>
    statusOf(url, transport.sessionId, headers)
  expect([await status(eve), await status({}), await status(ada)]).toEqual([404, 404, 200])
})
