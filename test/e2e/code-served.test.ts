import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { aRootedClient } from '../support/clients/rooted-client.ts'
import { SHOP, aProject } from '../support/code-project.ts'
import { freePort } from '../support/free-port.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { startStandalone } from '../support/standalone.ts'
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

const entries = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

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

describe('the log of code search', () => {
  it('is a file where the environment asks for one', async () => {
    const folder = aShop()
    const env = { COCOSEARCH_LOGGING_FILE: 'true' }
    const server = await startStandalone(folder, ['code', 'mcp'], env)
    await callOverHttp(server.url, 'list_indexes')
    await server.stop()
    await runProgram(process.execPath, [MAIN, 'code', 'list'], {
      cwd: folder.path,
      env: gatewayEnv(folder, env),
    })
    expect(entries(folder.read('.cocosearch/logs/cocosearch.log'))).toMatchObject([
      { level: 'info', cat: 'index', msg: 'list_indexes' },
      { cat: 'index', msg: 'list' },
    ])
  })

  it('is where COCOSEARCH_LOG_FILE says, whatever the project says', async () => {
    const folder = aShop(`${CONFIG}logging:\n  file: true\n`)
    const run = async (file: string, ...args: string[]) =>
      runProgram(process.execPath, [MAIN, 'code', ...args], {
        cwd: folder.path,
        env: gatewayEnv(folder, { COCOSEARCH_LOG_FILE: file }),
      })
    await run(folder.file('own.log'), 'search', 'nothing')
    expect(entries(folder.read('own.log'))).toMatchObject([
      { level: 'error', cat: 'search', msg: 'search nothing' },
    ])
    await run('', 'list')
    expect(folder.read('.cocosearch/logs/cocosearch.log')).toBe('')
  })
})
