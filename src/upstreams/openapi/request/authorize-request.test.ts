import { expect, it } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { anApi, fine, inTurn, petPaths, sends, status } from '../../../../test/support/an-api.ts'
import { type Answer, sendJson, serveHttp } from '../../../../test/support/http-server.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { aContext } from '../../../../test/support/service-context.ts'
import { createCredentials } from './authorize-request.ts'

it.each([
  [{ type: 'bearer', token: 's3cret' }, 'authorization', 'Bearer s3cret'],
  [{ type: 'basic', username: 'u', password: 's3cret' }, 'authorization', 'Basic dTpzM2NyZXQ='],
  [{ type: 'apiKey', name: 'X-Key', value: 's3cret' }, 'x-key', 's3cret'],
  [{ type: 'apiKey', in: 'cookie', name: 'k', value: 's3cret' }, 'cookie', 'k=s3cret'],
] as const)('authenticates with %o', async (auth, header, value) => {
  await using api = await anApi(fine, { auth })
  await api.call()
  expect(api.server.seen[0]?.headers[header]).toBe(value)
  expect(JSON.stringify(await api.service.handle('tools/list', {}, aContext()))).not.toContain(
    's3cret',
  )
})

it('takes the place of an API key from the description, and does not ask the agent for it', async () => {
  const parameters = [{ name: 'api_key', in: 'query', schema: { type: 'string' } }]
  const spec = aSpec(
    { '/a': { get: { operationId: 'a', parameters, responses: {} } } },
    { components: { securitySchemes: { k: { type: 'apiKey', in: 'query', name: 'api_key' } } } },
  )
  await using api = await anApi(fine, { auth: { type: 'apiKey', value: 's3cret' } }, spec)
  await api.call({}, 'a')
  expect(api.server.seen[0]?.url.searchParams.get('api_key')).toBe('s3cret')
  const list = await api.service.handle('tools/list', {}, aContext())
  expect(JSON.stringify(list)).not.toContain('api_key')
})

function securedBy(scheme: string): JsonObject {
  return { get: { operationId: scheme, security: [{ [scheme]: [] }], responses: {} } }
}

it('sends an API key where the scheme of each operation wants it', async () => {
  const securitySchemes = {
    inHeader: { type: 'apiKey', in: 'header', name: 'X-Key' },
    inQuery: { type: 'apiKey', in: 'query', name: 'key' },
  }
  const paths = {
    '/a': securedBy('inHeader'),
    '/b': securedBy('inQuery'),
    '/c': securedBy('other'),
  }
  const spec = aSpec(paths, { components: { securitySchemes } })
  await using api = await anApi(fine, { auth: { type: 'apiKey', value: 's3cret' } }, spec)
  for (const id of ['inHeader', 'inQuery', 'other']) await api.call({}, id)
  const sent = api.server.seen.map(({ url, headers }) => [url.search, headers['x-key']])
  expect(sent).toEqual([
    ['', 's3cret'],
    ['?key=s3cret', undefined],
    ['', 's3cret'],
  ])
})

it('uses a token whose life is not said in seconds', async () => {
  let tokens = 0
  await using server = await serveHttp((request, response) => {
    if (request.url.pathname !== '/token') return fine(request, response)
    // The fourth request fails, so that asking without end would end.
    if (++tokens > 3) return status(500)(request, response)
    sendJson(response, { access_token: 't', expires_in: '1 hour' })
  })
  const tokenUrl = `${server.url}/token`
  const auth = { type: 'oauth2', clientId: 'me', clientSecret: 's3cret', tokenUrl } as const
  await using api = await anApi(fine, { baseUrl: server.url, auth })
  await api.call()
  expect(tokens).toBe(1)
})

it('fetches one OAuth token for many calls and a new one when it is refused', async () => {
  let tokens = 0
  const answer: Answer = ({ url, headers }, response) => {
    if (url.pathname === '/token') sendJson(response, { access_token: `t${++tokens}` })
    else if (headers.authorization === 'Bearer t1' && tokens === 1 && expired)
      status(401)(never, response)
    else fine(never, response)
  }
  const never = {
    method: '',
    url: new URL('http://x'),
    headers: {},
    body: '',
    bytes: Buffer.alloc(0),
  }
  let expired = false
  await using server = await serveHttp(answer)
  const auth = {
    type: 'oauth2',
    clientId: 'me',
    clientSecret: 's3cret',
    tokenUrl: `${server.url}/token`,
  } as const
  await using api = await anApi(fine, { baseUrl: server.url, auth })
  await Promise.all([api.call(), api.call(), api.call()])
  expect(tokens).toBe(1)
  expired = true
  expect(await api.call()).toMatchObject({ structuredContent: { name: 'Rex' } })
  expect(tokens).toBe(2)
})

function withTokensFrom(tokenUrl: string): JsonObject {
  const securitySchemes = {
    people: { type: 'oauth2', flows: { authorizationCode: { tokenUrl: 'https://x.example' } } },
    machines: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } },
  }
  return aSpec(petPaths, { components: { securitySchemes } })
}

const client = { type: 'oauth2', clientId: 'me', clientSecret: 's3cret' } as const

it('reads a token URL of the description from where the API is', async () => {
  await using api = await anApi(
    inTurn(sends('application/json', '{"access_token":"t1"}'), fine),
    { auth: client },
    withTokensFrom('/oauth/token'),
  )
  expect(await api.call()).toMatchObject({ structuredContent: { name: 'Rex' } })
  expect(api.server.seen[0]?.url.pathname).toBe('/oauth/token')
  expect(api.server.seen[1]?.headers.authorization).toBe('Bearer t1')
})

it('says at the start that the description wants the client secret at another host', async () => {
  await using other = await serveHttp(fine)
  const spec = withTokensFrom(`${other.url}/token`)
  await expect(anApi(fine, { auth: client }, spec)).rejects.toThrow(
    `Set auth.tokenUrl to ${other.url}/token`,
  )
  await using api = await anApi(fine, { auth: client, allowHosts: [other.url] }, spec)
  await api.call()
  expect(other.seen).toHaveLength(1)
})

it('never shows a secret, even when the API repeats it', async () => {
  await using api = await anApi(
    ({ headers }, response) =>
      sendJson(
        response,
        { message: `bad ${headers.authorization}`, sent: headers.authorization },
        403,
      ),
    { auth: { type: 'bearer', token: 's3cret' } },
  )
  const result = JSON.stringify(await api.call())
  expect(result).not.toContain('s3cret')
  expect(result).toContain('[secret]')
})

it('sends no key to an operation that takes none, and keeps the rest of a query as it is', async () => {
  const parameters = [{ name: 'q', in: 'query', schema: { type: 'string' } }]
  const spec = aSpec(
    {
      '/open': { get: { operationId: 'open', parameters, security: [], responses: {} } },
      '/either': { get: { operationId: 'either', security: [{}, { k: [] }], responses: {} } },
      '/closed': { get: { operationId: 'closed', parameters, responses: {} } },
    },
    {
      security: [{ k: [] }],
      components: { securitySchemes: { k: { type: 'apiKey', in: 'query', name: 'key' } } },
    },
  )
  await using api = await anApi(fine, { auth: { type: 'apiKey', value: 's3cret' } }, spec)
  await api.call({ q: 'a b/c' }, 'open')
  await api.call({}, 'either')
  await api.call({ q: 'a b/c' }, 'closed')
  expect(api.server.seen.map(({ url }) => url.search)).toEqual([
    '?q=a%20b%2Fc',
    '?key=s3cret',
    '?q=a%20b%2Fc&key=s3cret',
  ])
})

it('remembers the last tokens to hide, not all it ever had', async () => {
  let tokens = 0
  const body = () => Buffer.from(JSON.stringify({ access_token: `t${++tokens}` }))
  const stub = {
    allows: () => true,
    send: async () => ({ status: 200, headers: {}, body: body() }),
  }
  const auth = {
    type: 'oauth2',
    clientId: 'id',
    clientSecret: 's3cret',
    tokenUrl: 'https://x/t',
  } as const
  const credentials = createCredentials(auth, {}, { client: stub, base: new URL('https://x') })
  for (let n = 0; n < 100; n++) {
    await credentials.apply({ url: new URL('https://x'), headers: {} }, [])
    credentials.renew()
  }
  expect(credentials.secrets).toContain('s3cret')
  expect(credentials.secrets).toContain('t100')
  expect(credentials.secrets.length).toBeLessThan(30)
})
