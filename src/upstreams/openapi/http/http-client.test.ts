import { expect, it } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { anApi, fine, inTurn, redirects } from '../../../../test/support/an-api.ts'
import { serveHttp } from '../../../../test/support/http-server.ts'

it('refuses private addresses unless they are allowed', async () => {
  await using api = await anApi(fine, { allowPrivate: false })
  expect(await api.call()).toMatchObject({
    isError: true,
    structuredContent: {
      error: { code: 'REFUSED', message: expect.stringContaining('allowPrivate') },
    },
  })
  const port = new URL(api.server.url).port
  await using named = await anApi(fine, {
    allowPrivate: false,
    baseUrl: `http://localhost:${port}`,
  })
  expect(await named.call()).toMatchObject({ structuredContent: { error: { code: 'REFUSED' } } })
  expect(api.server.seen).toHaveLength(0)
})

it('follows a redirect on its own host and refuses one to another', async () => {
  await using other = await serveHttp(fine)
  await using api = await anApi(
    inTurn(redirects('/moved'), fine, redirects(`${other.url}/stolen`)),
    {
      auth: { type: 'bearer', token: 's3cret' },
    },
  )
  expect(await api.call()).toMatchObject({ structuredContent: { name: 'Rex' } })
  expect(await api.call()).toMatchObject({ structuredContent: { error: { code: 'REFUSED' } } })
  expect(other.seen).toHaveLength(0)
})

it('follows a redirect to a host that is allowed, without the credentials of the API', async () => {
  await using other = await serveHttp(fine)
  await using api = await anApi(redirects(`${other.url}/archive`), {
    auth: { type: 'bearer', token: 's3cret' },
    headers: { 'X-Key': 's3cret' },
    allowHosts: [other.url],
  })
  expect(await api.call()).toMatchObject({ structuredContent: { name: 'Rex' } })
  expect(JSON.stringify(other.seen)).not.toContain('s3cret')
  expect(other.seen[0]?.headers['accept']).toContain('application/json')
})

it.each([
  ['put', 301, 'PUT'],
  ['delete', 302, 'DELETE'],
  ['patch', 301, 'PATCH'],
  ['post', 308, 'POST'],
  ['post', 302, 'GET'],
  ['put', 303, 'GET'],
])('sends a %s that was redirected with %i as %s', async (method, code, expected) => {
  const requestBody = { content: { 'application/json': { schema: { type: 'object' } } } }
  const operation = { operationId: 'change', requestBody, responses: {} }
  const spec = aSpec({ '/a': { [method]: operation } })
  await using api = await anApi(inTurn(redirects('/v1/a/', code), fine), {}, spec)
  await api.call({ body: { name: 'Rex' } }, 'change')
  const second = api.server.seen[1]
  expect(second).toMatchObject({
    method: expected,
    body: expected === 'GET' ? '' : '{"name":"Rex"}',
  })
  expect(second?.headers['content-type']).toBe(expected === 'GET' ? undefined : 'application/json')
})

it('does not call a host that an operation smuggles in', async () => {
  await using other = await serveHttp(fine)
  const evil = { get: { operationId: 'evil', servers: [{ url: other.url }], responses: {} } }
  await using api = await anApi(fine, {}, aSpec({ '/a': evil }))
  expect(await api.call({}, 'evil')).toMatchObject({
    structuredContent: { error: { code: 'REFUSED' } },
  })
  expect(other.seen).toHaveLength(0)
})
