import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { aRootedClient } from '../support/clients/rooted-client.ts'
import { SHOP, aProject } from '../support/code-project.ts'
import { freePort } from '../support/free-port.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const CONFIG = 'indexName: shop\n'

function aShop(config = CONFIG): TempFolder {
  const folder = tempFolder()
  aProject({ ...SHOP, 'cocosearch.yaml': config }, folder.path)
  return folder
}

/** Code search on stdio, on a machine without a desktop. */
function program(folder: TempFolder, env: Record<string, string> = {}) {
  const whole = Object.entries(gatewayEnv(folder, { PATH: '/nowhere', ...env }))
  return new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'code', 'mcp', '--project-from-cwd'],
    cwd: folder.path,
    env: Object.fromEntries(whole.map(([key, value]) => [key, value ?? ''])),
    stderr: 'ignore',
  })
}

async function callOverHttp(url: string, name: string) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)))
  try {
    return await client.callTool({ name, arguments: {} })
  } finally {
    await client.close()
  }
}

it('portolan code dashboard serves the pages and the tools', async () => {
  const folder = tempFolder()
  const port = await freePort()
  const child = spawn(process.execPath, [MAIN, 'code', 'dashboard', '--port', String(port)], {
    cwd: folder.path,
    env: gatewayEnv(folder),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  let said = ''
  child.stderr.on('data', (data) => (said += String(data)))
  const url = `http://127.0.0.1:${port}`
  await vi.waitFor(() => expect(said).toContain(`Dashboard: ${url}/code`), { timeout: 20_000 })
  const page = await fetch(`${url}/code`)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const tools = await callOverHttp(url, 'list_indexes')
  expect(tools).toMatchObject({ structuredContent: { result: [] } })
  child.kill('SIGTERM')
  await ended
})

describe('the pages beside code search on stdio', () => {
  it('are served when somebody wants to see them, and not before', async () => {
    const client = await aRootedClient(program(aShop()))
    const answer = Object(await client.call('open_dashboard'))
    expect(answer).toMatchObject({
      success: true,
      opened: false,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/code$/),
    })
    expect((await fetch(answer.url)).status).toBe(200)
    expect(await client.call('open_dashboard')).toMatchObject({ url: answer.url })
  })

  it('are served from the start on the port they are given, unless they are not wanted', async () => {
    const port = await freePort()
    const health = async () => fetch(`http://127.0.0.1:${port}/health`)
    const env = { COCOSEARCH_DASHBOARD_PORT: String(port) }
    const quiet = await aRootedClient(program(aShop(), { ...env, COCOSEARCH_NO_DASHBOARD: '1' }))
    expect(await quiet.call('open_dashboard')).toMatchObject({
      success: false,
      error: expect.stringContaining('COCOSEARCH_NO_DASHBOARD'),
    })
    await expect(health()).rejects.toThrow('fetch failed')
    await aRootedClient(program(aShop(), env))
    expect((await health()).status).toBe(200)
    // A second editor on the same port works without them.
    const second = await aRootedClient(program(aShop(), env))
    expect(await second.call('list_indexes')).toEqual([])
  })
})
