import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { expect, it, onTestFinished } from 'vitest'
import { MAIN, gatewayEnv } from '../../support/gateway.ts'
import { startStandalone } from '../../support/standalone.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'

// The cases of "Phase 45: MCP Protocol Enhancements", with `portolan code mcp` as the server.
function aFolder(): TempFolder {
  const folder = tempFolder()
  for (const name of ['my project', 'other', 'here']) folder.write(`${name}/cocosearch.yaml`, '')
  folder.write('my project/a.ts', 'export function findShop() { return 1 }\n')
  folder.write('other/b.ts', 'export function payInvoice() { return 2 }\n')
  folder.write('here/c.ts', 'export function shipParcel() { return 3 }\n')
  return folder
}

/** A project with a file of settings is indexed when it is first searched. */
const AUTO = { COCOSEARCH_AUTO_INDEX: 'true' }

type Roots = 'none' | 'silent' | 'refuses' | readonly string[]

async function aClient(transport: Transport, roots: Roots = 'none') {
  let asked = 0
  const capabilities = roots === 'none' ? {} : { roots: { listChanged: true } }
  const client = new Client({ name: 'editor', version: '1' }, { capabilities })
  if (roots !== 'none')
    client.setRequestHandler(ListRootsRequestSchema, async () => {
      asked += 1
      if (roots === 'silent') return new Promise<never>(() => undefined)
      if (roots === 'refuses') throw new Error('no roots here')
      return { roots: roots.map((uri) => ({ uri })) }
    })
  await client.connect(transport)
  onTestFinished(async () => client.close().catch(() => undefined))
  /** Where a search looked, and what told it so. */
  const search = async () => {
    const { content } = await client.callTool({ name: 'search_code', arguments: { query: 'shop' } })
    return JSON.stringify(content).replaceAll('\\', '')
  }
  return { client, search, asked: () => asked }
}

function overStdio(folder: TempFolder, env: Record<string, string> = {}) {
  return new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'code', 'mcp'],
    cwd: folder.file('here'),
    env: Object.fromEntries(
      Object.entries(gatewayEnv(folder, { ...AUTO, ...env })).map(([name, value]) => [
        name,
        value ?? '',
      ]),
    ),
    stderr: 'ignore',
  })
}

const source = (name: string) => expect.stringContaining(`"project_source":"${name}"`)

it('believes roots first, and decodes what their URIs encode', async () => {
  const folder = aFolder()
  const uri = pathToFileURL(folder.file('my project')).href
  expect(uri).toContain('my%20project')
  const env = { COCOSEARCH_PROJECT_PATH: folder.file('other') }
  const { client, search } = await aClient(overStdio(folder, env), ['https://x.example', uri])
  expect(client.getServerVersion()).toMatchObject({ name: 'cocosearch' })
  const answer = await search()
  expect(answer).toEqual(source('roots'))
  expect(answer).toContain(folder.file('my project'))
})

it('passes over roots that are files or are not there', async () => {
  const folder = aFolder()
  const uris = ['missing', 'other/b.ts', 'my project'].map(
    (name) => pathToFileURL(folder.file(name)).href,
  )
  const answer = await (await aClient(overStdio(folder), uris)).search()
  expect(answer).toEqual(source('roots'))
  expect(answer).toContain(folder.file('my project'))
})

it('takes the query parameter over HTTP, then the variable, then where it stands', async () => {
  const folder = aFolder()
  const env = {
    COCOSEARCH_PROJECT_PATH: folder.file('other'),
    PORTOLAN_CODE_FOLDERS: folder.path,
    ...AUTO,
  }
  const { url } = await startStandalone(folder, ['code', 'mcp'], env)
  const at = (query: string) => new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`))
  const path = encodeURIComponent(folder.file('my project'))
  expect(await (await aClient(at(`?project_path=${path}`))).search()).toEqual(source('query_param'))
  expect(await (await aClient(at(`?project_path=relative`))).search()).toEqual(source('env'))
  expect(await (await aClient(overStdio(folder, env))).search()).toEqual(source('env'))
  expect(await (await aClient(overStdio(folder))).search()).toEqual(source('cwd'))
})

it('asks a client that refuses each time, and one that is silent once', async () => {
  const folder = aFolder()
  const refusing = await aClient(overStdio(folder), 'refuses')
  expect(await refusing.search()).toEqual(source('cwd'))
  expect(await refusing.search()).toEqual(source('cwd'))
  expect(refusing.asked()).toBe(2)
  const silent = await aClient(overStdio(folder), 'silent')
  for (let n = 0; n < 3; n += 1) expect(await silent.search()).toEqual(source('cwd'))
  expect(silent.asked()).toBe(1)
  await silent.client.sendRootsListChanged()
  await silent.search()
  expect(silent.asked()).toBe(2)
})
