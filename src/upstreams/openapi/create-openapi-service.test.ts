import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { aSpec } from '../../../test/support/a-spec.ts'
import { petPaths } from '../../../test/support/an-api.ts'
import { sendJson, serveHttp } from '../../../test/support/http-server.ts'
import { aContext } from '../../../test/support/service-context.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createOpenApiService } from './create-openapi-service.ts'

it('remembers an imported description on disk and makes a damaged entry again', async () => {
  const home = tempFolder()
  const openapi = home.write('spec.json', aSpec(petPaths))
  const start = async () => createOpenApiService({ openapi }, { home: home.path })
  await start()
  const cache = join(home.path, 'cache', 'openapi')
  const [entry = ''] = await readdir(cache)
  await writeFile(join(cache, entry), '{"half":')
  const service = await start()
  expect(service.report.tools).toBe(2)
  expect(await readdir(cache)).toEqual([entry])
})

it('imports a description that the disk has no room to remember', async () => {
  const home = tempFolder()
  const openapi = home.write('spec.json', aSpec(petPaths))
  home.write('cache', 'no folder can be made here')
  const service = await createOpenApiService({ openapi }, { home: home.path })
  expect(service.report.tools).toBe(2)
})

it.each([
  ['not there', undefined, 'Cannot read'],
  ['broken JSON', '{"openapi": "3.0.0", ', 'is broken'],
  ['broken YAML', 'openapi: "3.0.0\npaths: [', 'is broken'],
  ['a web page', '<!doctype html><p>Docs', 'is a web page'],
  ['another JSON file', '{"name": "x"}', 'not an OpenAPI or Swagger description'],
  ['a description without paths', '{"openapi": "3.0.0"}', 'describes no paths'],
  ['a description without a server', '{"openapi": "3.0.0", "paths": {}}', 'Set baseUrl'],
])('explains a description that is %s', async (_, content, message) => {
  const folder = tempFolder()
  const file = join(folder.path, 'spec.json')
  if (content !== undefined) await writeFile(file, content)
  await expect(createOpenApiService({ openapi: file })).rejects.toThrow(message)
})

it.each([
  ['http://127.0.0.1:{port}/v1', 0],
  ['http://127.0.0.1:{port}{base}/v1', ''],
])(
  'fills the variables of the server %s, also with a number or with nothing',
  async (url, base) => {
    await using server = await serveHttp((_, response) => sendJson(response, {}))
    const port = Number(new URL(server.url).port)
    const servers = [{ url, variables: { port: { default: port }, base: { default: base } } }]
    const openapi = tempFolder().write('spec.json', aSpec(petPaths, { servers }))
    const service = await createOpenApiService({ openapi, allowPrivate: true })
    await service.handle('tools/call', { name: 'getPet', arguments: { id: '7' } }, aContext())
    expect(server.seen[0]?.url.pathname).toBe('/v1/pets/7')
  },
)

it('names every mistake of its configuration', async () => {
  const config = { openapi: 'x', retries: -1, basUrl: 'y' }
  await expect(createOpenApiService(config)).rejects.toThrow(/retries: .*basUrl/)
})

it('reads a description by URL, and not from a private address unasked', async () => {
  await using server = await serveHttp((_, response) => sendJson(response, aSpec(petPaths)))
  const openapi = `${server.url}/openapi.json`
  await expect(createOpenApiService({ openapi })).rejects.toThrow('allowPrivate')
  expect((await createOpenApiService({ openapi, allowPrivate: true })).report.tools).toBe(2)
})

it('keeps to the rules of a tool, by the id of its operation or by its method and path', async () => {
  const openapi = tempFolder().write('spec.json', aSpec(petPaths))
  for (const key of ['getPet', 'GET /pets/{id}']) {
    const tools = { [key]: { budgetTokens: 123, cacheSeconds: 9 } }
    const service = await createOpenApiService({ openapi, tools })
    expect(service.rules('getPet')).toMatchObject({ maxTokens: 123, cacheTtlMs: 9_000 })
  }
})
