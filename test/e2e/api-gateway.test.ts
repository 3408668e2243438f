import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it, onTestFinished } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { startDemoServer } from '../../packs/nsip/demo/server.ts'
import { aSpec } from '../support/a-spec.ts'
import { taskResult, withTasks } from '../support/clients/extensions.ts'
import { call as callTool, textOf, toolNames } from '../support/clients/talk.ts'
import { startGateway } from '../support/gateway.ts'
import { serveHttp } from '../support/http-server.ts'
import { openGateway } from '../support/open-gateway.ts'
import { tempFolder } from '../support/temp-folder.ts'

const spec = aSpec({ '/pets': { get: { operationId: 'listPets', responses: {} } } })

const operation = (operationId: string) => ({ get: { operationId, responses: {} } })

/** A gateway with these servers, and a way to call their tools through discovery. */
async function aGateway(mcpServers: JsonObject, files: JsonObject = {}) {
  const folder = tempFolder()
  for (const [name, content] of Object.entries(files)) folder.write(name, content)
  folder.write('.mcp.json', { mcpServers })
  const { url } = await startGateway(folder)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  onTestFinished(async () => client.close())
  return async (server: string, tool: string, args: JsonObject = {}) => {
    const result = await client.callTool({
      name: 'execute_tool',
      arguments: { server, tool, args },
    })
    return { isError: result.isError === true, text: JSON.stringify(result.content) }
  }
}

it('serves a pack and a description side by side with every other server', async () => {
  const demo = await startDemoServer({ animals: 100 })
  onTestFinished(async () => demo[Symbol.asyncDispose]())
  await using api = await serveHttp((_, response) => response.end('[{"name":"Rex"}]'))
  const call = await aGateway(
    {
      sheep: { openapi: 'nsip', baseUrl: demo.url, allowPrivate: true },
      pets: { openapi: './pets.json', baseUrl: api.url, allowPrivate: true },
    },
    { 'pets.json': spec },
  )
  const animal = await call('sheep', 'nsip_get_animal', { search_string: '6401492020FLE249' })
  expect(animal.text).toContain('Katahdin')
  expect((await call('pets', 'listPets')).text).toContain('Rex')
})

it('says what is wrong with a bad API and leaves the others alone', async () => {
  await using good = await serveHttp((_, response) => response.end('["fine"]'))
  await using page = await serveHttp((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  )
  const call = await aGateway(
    {
      good: { openapi: './good.json', baseUrl: good.url, allowPrivate: true },
      broken: { openapi: './broken.json' },
      page: { openapi: `${page.url}/openapi.json`, allowPrivate: true },
      gone: {
        openapi: './good.json',
        baseUrl: 'http://127.0.0.1:1',
        allowPrivate: true,
        retries: 0,
      },
      private: { openapi: './good.json', baseUrl: good.url },
      typo: { openapi: './good.json', basUrl: good.url },
    },
    { 'good.json': spec, 'broken.json': '{"openapi": ' },
  )
  for (const [server, words] of [
    ['broken', 'is broken'],
    ['page', 'is a web page'],
    ['gone', 'cannot be reached'],
    ['private', 'allowPrivate'],
    ['typo', 'basUrl'],
  ] as const) {
    const result = await call(server, 'listPets')
    expect(result.isError).toBe(true)
    expect(result.text).toContain(words)
  }
  expect(await call('good', 'listPets')).toMatchObject({ isError: false })
})

it('keeps secrets of an API out of everything an agent can read', async () => {
  await using api = await serveHttp(({ headers }, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ message: `bad ${String(headers.authorization)}` }))
  })
  const call = await aGateway(
    {
      pets: {
        openapi: './pets.json',
        baseUrl: api.url,
        allowPrivate: true,
        auth: { type: 'bearer', token: '${PET_TOKEN:-s3cret-token}' },
      },
    },
    { 'pets.json': spec },
  )
  const result = await call('pets', 'listPets')
  expect(isObject(result) && result.text).toContain('[secret]')
  expect(result.text).not.toContain('s3cret-token')
  expect(api.seen[0]?.headers.authorization).toBe('Bearer s3cret-token')
})

it('takes a description that changes while a call is on its way, which ends as it would have', async () => {
  let answer: (() => void) | undefined
  await using api = await serveHttp((_, response) => {
    answer = () => response.end('[{"name":"Rex"}]')
  })
  const folder = tempFolder()
  folder.write('pets.json', spec)
  const gateway = await openGateway({
    folder,
    servers: { pets: { openapi: './pets.json', baseUrl: api.url, allowPrivate: true } },
  })
  const client = await gateway.connect()
  const pending = callTool(client, 'pets__listPets')
  await expect.poll(() => answer).toBeDefined()
  folder.write(
    'pets.json',
    aSpec({ '/pets': operation('listPets'), '/birds': operation('listBirds') }),
  )
  await expect.poll(async () => toolNames(client)).toContain('listBirds')
  answer?.()
  expect(textOf(await pending)).toContain('Rex')
  folder.write('pets.json', aSpec({ '/birds': operation('listBirds') }))
  await expect.poll(async () => toolNames(client)).not.toContain('listPets')
  folder.write('pets.json', '{"openapi": ')
  // A mistake in the file is reported, and its last good content stays in force.
  await expect.poll(() => gateway.log()).toContain('pets.json is broken')
  expect(await toolNames(client)).toContain('listBirds')
  folder.write('pets.json', spec)
  await expect.poll(async () => toolNames(client)).toContain('listPets')
})

it('offers a long call of an API as a task', async () => {
  await using api = await serveHttp((_, response) =>
    setTimeout(() => response.end('[{"name":"Rex"}]'), 1_500),
  )
  const folder = tempFolder()
  folder.write('pets.json', spec)
  const gateway = await openGateway({
    folder,
    servers: { pets: { openapi: './pets.json', baseUrl: api.url, allowPrivate: true } },
    settings: { tasks: { offerAfterMs: 200 } },
  })
  const client = withTasks(await gateway.connect({ era: 'modern' }))
  const { taskId, resultType } = await callTool(client, 'pets__listPets')
  expect(resultType).toBe('task')
  expect(textOf(await taskResult(client, taskId))).toContain('Rex')
})
