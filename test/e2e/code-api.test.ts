import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { aRootedClient } from '../support/clients/rooted-client.ts'
import { SHOP, aFolder, aProject } from '../support/code-project.ts'
import { freePort } from '../support/free-port.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { startStandalone } from '../support/standalone.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const CONFIG = 'indexName: shop\n'

function aShop(config = CONFIG): TempFolder {
  const folder = tempFolder()
  aProject({ ...SHOP, 'cocosearch.yaml': config }, folder.path)
  return folder
}

interface Asked {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** As a program asks that sends any header it likes and a path as it is. */
async function ask(url: string, path: string, { headers = {}, body }: Asked = {}) {
  const { hostname, port } = new URL(url)
  const method = body === undefined ? 'GET' : 'POST'
  return new Promise<{ status: number; text: string; headers: http.IncomingHttpHeaders }>(
    (resolve, reject) => {
      const request = http.request({ hostname, port, path, method, headers }, (response) => {
        let text = ''
        response.on('data', (data) => (text += String(data)))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        )
      })
      request.on('error', reject)
      request.end(body === undefined ? undefined : JSON.stringify(body))
    },
  )
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

const as = (key: string) => ({ authorization: `Bearer ${key}` })

const entries = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('the API of code search by itself', () => {
  it('indexes, searches and shows, and sends people to its page', async () => {
    const folder = aShop()
    const { url } = await startStandalone(folder, ['code', 'mcp'])
    expect(JSON.parse((await ask(url, '/health')).text)).toMatchObject({ status: 'ok' })
    const body = { project_path: folder.path }
    expect(JSON.parse((await ask(url, '/api/index', { body })).text)).toMatchObject({
      success: true,
      index_name: 'shop',
    })
    await vi.waitFor(
      async () =>
        expect(JSON.parse((await ask(url, '/api/stats/shop')).text)).toMatchObject({
          status: 'indexed',
          file_count: expect.any(Number),
        }),
      { timeout: 20_000 },
    )
    const query = { query: 'shopping cart', limit: 1 }
    expect(JSON.parse((await ask(url, '/api/search', { body: query })).text)).toMatchObject({
      results: [{ file_path: 'src/cart.ts' }],
    })
    expect(await ask(url, '/dashboard')).toMatchObject({
      status: 302,
      headers: { location: '/code' },
    })
    expect(await ask(url, '/code')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
    const logs = await fetch(`${url}/api/logs`)
    const reader = logs.body?.pipeThrough(new TextDecoderStream()).getReader()
    let seen = ''
    while (!seen.includes('history_done')) seen += (await reader?.read())?.value ?? ''
    expect(seen).toContain('"cat":"search","msg":"search_code"')
    await reader?.cancel()
  })

  it('answers no page of another site, no other name, and no path that climbs', async () => {
    const { url } = await startStandalone(aShop(), ['code', 'mcp'])
    const strangers = [
      { host: 'evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'http://localhost:9' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of strangers)
      for (const path of ['/api/list', '/api/file-content?path=src/cart.ts'])
        expect({ headers, status: (await ask(url, path, { headers })).status }).toEqual({
          headers,
          status: 403,
        })
    const shutdown = { headers: { origin: 'https://evil.example' }, body: {} }
    expect(await ask(url, '/api/shutdown', shutdown)).toMatchObject({ status: 403 })
    for (const path of [
      '/static/../../../../etc/passwd',
      '/static/..%2f..%2fetc/passwd',
      '/static/%2e%2e/%2e%2e/etc/passwd',
      '/static/..\\..\\x',
      '/api/file-content?path=../../../etc/passwd',
      '/api/file-content?path=/etc/passwd',
    ])
      expect({ path, ...(await ask(url, path)) }).toMatchObject({ path, status: 403 })
    for (const path of [
      '/static/none.js',
      '/static/none',
      '/api/none',
      '/api/file-content?path=none',
    ])
      expect({ path, ...(await ask(url, path)) }).toMatchObject({ path, status: 404 })
  })

  it('ends its process when somebody on this machine asks for it, and for no proxy', async () => {
    const { url } = await startStandalone(aShop(), ['code', 'mcp'])
    const empty = await fetch(`${url}/api/stop-indexing`, { method: 'POST' })
    expect(await empty.json()).toEqual({ success: false, error: 'index_name is required' })
    const proxied = { headers: { 'x-forwarded-for': '203.0.113.7' }, body: {} }
    expect(await ask(url, '/api/shutdown', proxied)).toMatchObject({ status: 403 })
    expect(await ask(url, '/api/shutdown', { body: {} })).toMatchObject({ status: 200 })
    await vi.waitFor(async () => expect(ask(url, '/health')).rejects.toThrow('ECONNREFUSED'), {
      timeout: 20_000,
    })
  })

  it('wants a key where one is required, and an admin for what touches the machine', async () => {
    const folder = aShop()
    folder.write('portolan.yaml', { auth: { required: true } })
    const env = gatewayEnv(folder)
    const create = async (...args: string[]): Promise<string> => {
      const options = { cwd: folder.path, env }
      return (
        await runProgram(process.execPath, [MAIN, 'keys', 'create', ...args], options)
      ).stdout.trim()
    }
    const [agent, admin] = [await create('reader'), await create('boss', '--role', 'admin')]
    const { url } = await startStandalone(folder, ['code', 'mcp'])
    expect(await ask(url, '/api/list')).toMatchObject({ status: 401 })
    expect(await ask(url, '/api/list', { headers: as('wrong') })).toMatchObject({ status: 401 })
    expect(await ask(url, '/api/list', { headers: as(agent) })).toMatchObject({ status: 200 })
    const asAgent = { headers: as(agent), body: {} }
    expect(await ask(url, '/api/shutdown', asAgent)).toMatchObject({ status: 403 })
    expect(await ask(url, '/api/logs', { headers: as(agent) })).toMatchObject({ status: 403 })
    const asAdmin = { headers: as(admin), body: {} }
    expect(await ask(url, '/api/shutdown', asAdmin)).toMatchObject({ status: 200 })
  })
})

it('is there behind a gateway too, under its rules, and does not end it', async () => {
  const gateway = await openGateway({
    servers: { code: { builtin: 'code' } },
    rules: {
      agents: {
        dashboard: { allow: { servers: ['code'] }, deny: { tools: { code: ['index_codebase'] } } },
      },
    },
  })
  expect(await ask(gateway.url, '/api/list')).toMatchObject({ status: 200, text: '[]' })
  const index = { body: { project_path: gateway.folder.path } }
  expect(await ask(gateway.url, '/api/index', index)).toMatchObject({ status: 403 })
  expect(await ask(gateway.url, '/api/shutdown', { body: {} })).toMatchObject({ status: 403 })
  expect(await ask(gateway.url, '/health')).toMatchObject({ status: 200 })
})

describe('portolan code dashboard', () => {
  it('serves the pages, the API and the tools, with the projects of a folder', async () => {
    const folder = tempFolder()
    const projects = aFolder()
    aProject({ 'shop/src/a.ts': 'a' }, projects)
    const port = await freePort()
    const child = spawn(
      process.execPath,
      [MAIN, 'code', 'dashboard', '--port', String(port), '--projects-dir', projects],
      { cwd: folder.path, env: gatewayEnv(folder), stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const ended = once(child, 'exit')
    let said = ''
    child.stderr.on('data', (data) => (said += String(data)))
    const url = `http://127.0.0.1:${port}`
    await vi.waitFor(() => expect(said).toContain(`Dashboard: ${url}/dashboard`), {
      timeout: 20_000,
    })
    expect(JSON.parse((await ask(url, '/api/projects')).text)).toMatchObject({
      projects: [{ name: 'shop', is_indexed: false }],
    })
    await ask(url, '/api/shutdown', { body: {} })
    expect(await ended).toEqual([0, null])
  })
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
    const list = await fetch(new URL('/api/list', answer.url))
    expect(await list.json()).toEqual([])
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
    await ask(server.url, '/api/list')
    await server.stop()
    await runProgram(process.execPath, [MAIN, 'code', 'list'], {
      cwd: folder.path,
      env: gatewayEnv(folder, env),
    })
    expect(entries(folder.read('.cocosearch/logs/cocosearch.log'))).toMatchObject([
      { level: 'info', cat: 'system', msg: 'code search is serving' },
      { cat: 'index', msg: 'list_indexes', fields: { agent: 'dashboard' } },
      { cat: 'system', msg: 'code search ends' },
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
