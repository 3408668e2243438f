import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { aSpec } from '../support/a-spec.ts'
import { type RawClient, bare } from '../support/clients/raw-client.ts'
import { openHttp, openSse, openStdio, openWebSocket } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv, startGateway } from '../support/gateway.ts'
import { type TestServer, serveHttp } from '../support/http-server.ts'
import { start } from '../support/start.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const ID = '1234567890123456789'
const RAW_ECHO = join(import.meta.dirname, '../support/raw-echo.mjs')
const ROWS = Array.from(
  { length: 300 },
  (_, row) =>
    `{"id":12345678901234567${String(row).padStart(3, '0')},"name":"row ${row}","note":"${'long '.repeat(40)}"}`,
)

const idIn = (place: string) => ({
  name: 'id',
  in: place,
  required: true,
  schema: { type: 'integer', format: 'int64' },
})
const BODY = {
  required: true,
  content: { 'application/json': { schema: { type: 'object' } } },
}
const answers = { 200: { description: 'ok', content: { 'application/json': { schema: {} } } } }
const SPEC = aSpec({
  '/rows/{id}': {
    get: { operationId: 'getRow', parameters: [idIn('path')], responses: answers },
  },
  '/find': {
    get: { operationId: 'findRow', parameters: [idIn('query')], responses: answers },
  },
  '/rows': {
    get: { operationId: 'listRows', responses: answers },
    post: { operationId: 'addRow', requestBody: BODY, responses: answers },
  },
  '/forms': {
    post: {
      operationId: 'sendForm',
      parameters: [{ ...idIn('header'), name: 'rowid' }],
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: { type: 'object', properties: { row: { type: 'integer' } } },
          },
        },
      },
      responses: answers,
    },
  },
})

let folder: TempFolder
let api: TestServer
let url: string

beforeAll(async () => {
  const undo: (() => void | Promise<void>)[] = []
  const later = (one: () => void | Promise<void>) => void undo.unshift(one)
  const remote = await start(process.execPath, [RAW_ECHO, '--http'])
  later(async () => remote.close())
  api = await serveHttp((request, response) => {
    const list = request.method === 'GET' && request.url.pathname === '/rows'
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(list ? `[${ROWS.join(',')}]` : `{"id":${ID},"size":1e400,"ratio":0.1234567890123456789}`)
  })
  later(async () => api[Symbol.asyncDispose]())
  folder = tempFolder(later)
  folder.write('api.json', SPEC)
  folder.write('.mcp.json', {
    mcpServers: {
      child: { command: process.execPath, args: [RAW_ECHO] },
      remote: { url: remote.url },
      api: { openapi: './api.json', baseUrl: api.url, allowPrivate: true, cacheSeconds: 60 },
    },
  })
  const gateway = await startGateway(folder, [], {}, later)
  ;({ url } = gateway)
  return async () => {
    for (const one of undo) await one()
  }
})

async function opened(opening: Promise<RawClient>): Promise<RawClient> {
  const client = await opening
  onTestFinished(async () => client.close())
  return client
}

const stdio = (surface: string) => ({
  command: process.execPath,
  args: [MAIN, '--surface', surface],
  cwd: folder.path,
  env: gatewayEnv(folder),
})

const FRONTS: readonly (readonly [string, () => Promise<RawClient>])[] = [
  ['stdio', async () => openStdio('legacy', stdio('discover'))],
  ['stdio, modern', async () => openStdio('modern', stdio('discover'))],
  ['HTTP', async () => openHttp('legacy', `${url}/mcp`)],
  ['HTTP, modern', async () => openHttp('modern', `${url}/mcp`)],
  ['SSE', async () => openSse(`${url}/sse`)],
  ['WebSocket', async () => openWebSocket(`${url.replace('http', 'ws')}/ws`)],
]

const execute = async (client: RawClient, server: string, tool: string, args: unknown) =>
  client.text('tools/call', { name: 'execute_tool', arguments: { server, tool, args } })

/** What a text inside an answer reads: quotes are escaped there. */
const unescaped = (text: string) => text.replaceAll('\\', '')

describe.each(FRONTS)('over %s', (_, open) => {
  it.each(['child', 'remote'])('arguments reach %s with every digit', async (server) => {
    const client = await opened(open())
    const args = { id: bare(ID), size: bare('1e400'), more: [bare('-0.1234567890123456789')] }
    const said = unescaped(await execute(client, server, 'echo', args))
    expect(said).toContain(`"id":${ID},"size":1e400,"more":[-0.1234567890123456789]`)
    const plain = unescaped(await execute(client, server, 'echo', { id: 42, size: 0.5 }))
    expect(plain).toContain('"arguments":{"id":42,"size":0.5}')
  })

  it('results of an API come back with every digit, as text and as structure', async () => {
    const client = await opened(open())
    const said = await execute(client, 'api', 'getRow', { id: bare(ID) })
    const row = `{"id":${ID},"size":1e400,"ratio":0.1234567890123456789}`
    expect(said).toContain(`"structuredContent":${row}`)
    expect(unescaped(said)).toContain(`"text":"${row}"`)
  })
})

it('arguments given as JSON in a string, and those that are read differently, keep their digits', async () => {
  const client = await opened(openHttp('legacy', `${url}/mcp`))
  const asText = await execute(client, 'child', 'echo', `{"id":${ID}}`)
  expect(unescaped(asText)).toContain(`"arguments":{"id":${ID}}`)
  const coerced = await execute(client, 'child', 'echo', {
    id: bare(ID),
    limit: '7',
    name: bare(`${ID}0`),
  })
  expect(unescaped(coerced)).toContain(`"arguments":{"id":${ID},"limit":7,"name":"${ID}0"}`)
})

it.each(['stdio', 'http'] as const)(
  'the direct surface passes them too, over %s',
  async (front) => {
    const target = `${url}/mcp?surface=direct`
    const client = await opened(
      front === 'stdio' ? openStdio('legacy', stdio('direct')) : openHttp('legacy', target),
    )
    const list = await client.text('tools/list', {})
    const [name] = /child[^"]{1,2}echo/.exec(list) ?? []
    const said = await client.text('tools/call', { name, arguments: { id: bare(ID) } })
    expect(unescaped(said)).toContain(`"arguments":{"id":${ID}}`)
  },
)

it('an API gets them in path, query, header, form and body', async () => {
  const client = await opened(openHttp('legacy', `${url}/mcp`))
  const send = async (tool: string, args: JsonObject) => {
    const said = await execute(client, 'api', tool, args)
    const last = api.seen.at(-1)
    if (!last) throw new Error(said)
    return last
  }
  expect((await send('getRow', { id: bare(`${ID}1`) })).url.pathname).toBe(`/rows/${ID}1`)
  expect((await send('findRow', { id: bare(ID) })).url.search).toBe(`?id=${ID}`)
  const body = { id: bare(ID), deep: [{ size: bare('1e400') }], plain: 1 }
  expect((await send('addRow', { body })).body).toBe(
    `{"id":${ID},"deep":[{"size":1e400}],"plain":1}`,
  )
  const form = await send('sendForm', { rowid: bare(ID), body: { row: bare(ID) } })
  expect(form.headers['rowid']).toBe(ID)
  expect(form.body).toBe(`row=${ID}`)
})

it('two calls that differ in the last digit are two entries of the cache', async () => {
  const client = await opened(openHttp('legacy', `${url}/mcp`))
  for (const id of ['9007199254740993', '9007199254740992', '9007199254740993'])
    await execute(client, 'api', 'findRow', { id: bare(id) })
  const asked = api.seen.filter(({ url: { search } }) => search.startsWith('?id=9007'))
  expect(asked).toHaveLength(2)
})

it('a summary and what is read behind its handle show every digit', async () => {
  const client = await opened(openHttp('legacy', `${url}/mcp`))
  const said = await execute(client, 'api', 'listRows', {})
  const [, handle] = /"_handle":"(r_\w+)"/.exec(unescaped(said)) ?? []
  const shown = unescaped(said).match(/\b12345678901234567\d\d\d\b/g) ?? []
  expect(shown).toContain('12345678901234567000')
  expect(shown).toContain('12345678901234567001')
  const read = async (select: string) =>
    unescaped(
      await client.text('tools/call', { name: 'read_result', arguments: { handle, select } }),
    )
  expect(await read('[7].id')).toContain('"data":12345678901234567007')
  expect(await read('[?id==`12345678901234567123`].name')).toContain('"data":["row 123"]')
  expect(await read('max_by(@, &id).name')).toContain('"data":"row 299"')
  expect(await read('[3:5].to_string(id)')).toContain('"12345678901234567004"')
})

it('an id of a request comes back as it was sent', async () => {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: `{"jsonrpc":"2.0","id":${ID},"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
  })
  expect(await response.text()).toContain(`"id":${ID},`)
})
