import { expect, it } from 'vitest'
import { type Answer, sendJson } from '../../../../test/support/http-server.ts'
import { anApi, petPaths } from '../../../../test/support/an-api.ts'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { aContext } from '../../../../test/support/service-context.ts'
import { type Freshness, freshnessOf } from '../../../protocol/freshness.ts'
import { createOpenApiService } from '../create-openapi-service.ts'
import type { CompositeTool } from '../extension.ts'

const says =
  (headers: Record<string, string>, status = 200): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(status === 304 ? undefined : '{"id":7}')
  }

const stored: Freshness = { madeAt: 0, headers: { etag: '"a"' } }
const withStored = () => aContext({ stored })

it('a result says how long its answer may be used, and nothing if it is a write', async () => {
  await using api = await anApi(says({ 'cache-control': 'max-age=60' }))
  expect(freshnessOf(await api.call())?.ttlMs).toBeGreaterThan(50_000)
  expect(freshnessOf(await api.call({ id: '7' }, 'feedPet'))).toBeUndefined()
})

const varying: Answer = (request, response) =>
  request.url.pathname === '/token'
    ? sendJson(response, { access_token: 't', expires_in: 3600 })
    : says({ 'cache-control': 'max-age=60', vary: 'Authorization' })(request, response)

it('a token that is fetched again changes what an answer that varies by it is good for', async () => {
  await using open = await anApi(varying, { auth: { type: 'bearer', token: 't' } })
  expect(freshnessOf(await open.call())?.noStore).toBeUndefined()
  const { url } = open.server
  const auth = {
    type: 'oauth2',
    clientId: 'c',
    clientSecret: 's',
    tokenUrl: `${url}/token`,
  } as const
  await using renewed = await anApi(varying, { auth, allowHosts: [url] })
  expect(freshnessOf(await renewed.call())?.noStore).toBe(true)
})

it('asks on condition, and takes a 304 only for the answer that is stored', async () => {
  await using api = await anApi(says({ etag: '"a"', 'cache-control': 'max-age=60' }, 304))
  const confirmed = await api.call({ id: '7' }, 'getPet', withStored())
  expect(freshnessOf(confirmed)).toMatchObject({ notModified: true })
  expect(api.server.seen[0]?.headers['if-none-match']).toBe('"a"')
  const other: Answer = (request, response) =>
    says({ etag: '"b"' }, request.headers['if-none-match'] ? 304 : 200)(request, response)
  await using changed = await anApi(other)
  const whole = await changed.call({ id: '7' }, 'getPet', withStored())
  expect(whole['structuredContent']).toMatchObject({ id: 7 })
  expect(freshnessOf(whole)?.notModified).toBeUndefined()
  expect(changed.server.seen).toHaveLength(2)
})

const control = (request: Parameters<Answer>[0]): string =>
  request.url.pathname.endsWith('/8') ? 'no-store' : 'max-age=60'

const run: CompositeTool['run'] = async (args, port, context) => {
  const ids = Array.isArray(args['ids']) ? args['ids'] : []
  return { pets: await Promise.all(ids.map(async (id) => port.call('getPet', { id }, context))) }
}

it('a tool made of several calls asks without conditions, and is not stored if one of them forbids it', async () => {
  await using api = await anApi((request, response) =>
    says({ 'cache-control': control(request) })(request, response),
  )
  const extension = { tools: [{ definition: { name: 'pets', inputSchema: {} }, run }] }
  const { server } = api
  const service = await createOpenApiService(
    {
      openapi: tempFolder().write('spec.json', aSpec(petPaths)),
      name: 'pets',
      baseUrl: server.url,
      allowPrivate: true,
    },
    { extension },
  )
  const ask = async (...ids: string[]) =>
    service.handle('tools/call', { name: 'pets', arguments: { ids } }, withStored())
  expect(freshnessOf(await ask('6', '7'))).toBeUndefined()
  expect(freshnessOf(await ask('6', '8', '7'))?.noStore).toBe(true)
  expect(server.seen.filter(({ headers }) => headers['if-none-match'])).toEqual([])
  await service.close()
})
