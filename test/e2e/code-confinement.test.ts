import { pathToFileURL } from 'node:url'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { aRootedClient } from '../support/clients/rooted-client.ts'
import { SHOP, aProject } from '../support/code-project.ts'
import { openGateway } from '../support/open-gateway.ts'
import { startStandalone } from '../support/standalone.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SECRET = { 'vault.ts': 'export const secretNumber = 42\n', 'cocosearch.yaml': '' }
const HINT = /PORTOLAN_CODE_FOLDERS/

const GATEWAY = async () => {
  const folder = tempFolder()
  aProject({ ...SHOP, 'cocosearch.yaml': '' }, folder.path)
  const servers = { code: { builtin: 'code', autoIndex: true } }
  const { url } = await openGateway({ servers, folder })
  return { url, folder }
}

const STANDALONE = async () => {
  const folder = tempFolder()
  aProject({ ...SHOP, 'cocosearch.yaml': '' }, folder.path)
  const { url } = await startStandalone(folder, ['code', 'mcp'], { PORTOLAN_CODE_AUTO_INDEX: '1' })
  return { url, folder }
}

const TRANSPORTS = {
  mcp: (address: URL, headers: Record<string, string>) =>
    new StreamableHTTPClientTransport(address, { requestInit: { headers } }),
  sse: (address: URL, headers: Record<string, string>) =>
    new SSEClientTransport(address, { requestInit: { headers } }),
  ws: (address: URL) => {
    // The transport of the SDK wants the socket of a browser, which Node 20 does not have.
    Object.assign(globalThis, { WebSocket })
    address.protocol = 'ws:'
    return new WebSocketClientTransport(address)
  },
} as const

const WAYS = [
  ['a gateway', 'mcp', GATEWAY],
  ['a gateway', 'sse', GATEWAY],
  ['a gateway', 'ws', GATEWAY],
  ['the code server alone', 'mcp', STANDALONE],
] as const

it.each(WAYS)('over the network %s at /%s reads only below its folders', async (_, path, start) => {
  const { url, folder } = await start()
  const secret = aProject(SECRET)
  const inside = aProject({ 'inner.ts': 'export const innerThing = 1\n' }, folder.file('inner'))
  const connect = async (project?: string, ...roots: string[]) => {
    const address = new URL(`${url}/${path}?surface=direct`)
    if (project !== undefined) address.searchParams.set('project_path', project)
    const transport = TRANSPORTS[path](address, { 'set-cookie': 'a=b' })
    return aRootedClient(transport, ...roots.map((root) => pathToFileURL(root).href))
  }
  const clients = [await connect(), await connect(secret), await connect(undefined, secret)]
  for (const client of clients)
    expect(await client.call('index_codebase', { path: secret })).toMatchObject({
      success: false,
      error: expect.stringMatching(HINT),
    })
  for (const client of clients.slice(1)) {
    expect(await client.call('index_codebase', { path: '.' })).toMatchObject({ success: false })
    expect(await client.call('search_code', { query: 'secretNumber' })).toMatchObject([
      { message: expect.stringMatching(HINT), results: [] },
    ])
  }
  for (const client of [
    await connect(),
    await connect(folder.path),
    await connect('', folder.path),
  ])
    expect(await client.call('search_code', { query: 'totalPrice' })).toEqual(
      expect.arrayContaining([expect.objectContaining({ file_path: 'src/cart.ts' })]),
    )
  const [client] = clients
  expect(await client?.call('index_codebase', { path: inside })).toMatchObject({ success: true })
})

it('reads below the folders it is given instead of where it was started', async () => {
  const [one, two] = [aProject(SHOP), aProject(SHOP)]
  const { url } = await startStandalone(tempFolder(), ['code', 'mcp'], {
    PORTOLAN_CODE_FOLDERS: one,
    COCOSEARCH_PROJECTS_DIR: two,
  })
  const client = await aRootedClient(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  for (const path of [one, two])
    expect(
      await client.call('index_codebase', { path, index_name: `i${path === one}` }),
    ).toMatchObject({
      success: true,
    })
  expect(await client.call('index_codebase', { path: '.' })).toMatchObject({ success: false })
})
