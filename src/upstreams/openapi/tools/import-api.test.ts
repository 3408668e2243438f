import { expect, it } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { type ImportOptions, importApi } from './import-api.ts'
import { readDescription } from '../spec/read-description.ts'

async function imported(root: JsonObject, options: ImportOptions = {}) {
  return importApi(readDescription(root, 'test'), options)
}

async function inputOf(root: JsonObject, options?: ImportOptions) {
  const [tool] = (await imported(root, options)).tools
  return tool?.definition['inputSchema']
}

const ok = { 200: { description: 'ok' } }

it('makes an object of every input, whatever the body is', async () => {
  const body = { content: { 'application/json': { schema: { type: 'array', items: {} } } } }
  const oneOf = { oneOf: [{ type: 'string' }, { type: 'object' }] }
  const api = await imported(
    aSpec({
      '/a': { post: { operationId: 'a', requestBody: body, responses: ok } },
      '/b': {
        post: {
          operationId: 'b',
          requestBody: { content: { 'application/json': { schema: oneOf } } },
          responses: ok,
        },
      },
    }),
  )
  const inputs = api.tools.map(({ definition }) => definition['inputSchema'])
  expect(inputs).toEqual([
    { type: 'object', properties: { body: { type: 'array', items: {} } } },
    { type: 'object', properties: { body: { anyOf: [{ type: 'string' }, { type: 'object' }] } } },
  ])
})

it('lets an enum follow the type it contradicts', async () => {
  const schemas = {
    severity: { type: 'string', enum: [10, 20, 'all'] },
    verse: { type: 'integer', enum: ['1', '2'] },
    level: { type: 'number', enum: ['low', 'high'] },
    media: { type: 'array', items: { type: 'string' }, enum: ['pc', 'tv'] },
    plain: { type: 'string', enum: ['x'] },
  }
  const parameters = Object.entries(schemas).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
  }))
  const root = aSpec({ '/a': { get: { operationId: 'a', parameters, responses: ok } } })
  expect(await inputOf(root)).toEqual({
    type: 'object',
    properties: {
      severity: { type: 'string', enum: ['10', '20', 'all'] },
      verse: { type: 'integer', enum: [1, 2] },
      level: { enum: ['low', 'high'] },
      media: { type: 'array', items: { type: 'string', enum: ['pc', 'tv'] } },
      plain: { type: 'string', enum: ['x'] },
    },
  })
})

it('fills in the default of a parameter that the API requires', async () => {
  const parameters = [
    { name: 'v', in: 'path', required: true, schema: { $ref: '#/components/schemas/V' } },
    { name: 'id', in: 'query', required: true, schema: { type: 'string' } },
    { name: 'size', in: 'query', schema: { type: 'integer', default: 10 } },
  ]
  const root = aSpec(
    { '/{v}': { get: { operationId: 'a', parameters, responses: ok } } },
    { components: { schemas: { V: { type: 'string', default: 'v1' } } } },
  )
  expect(await inputOf(root)).toMatchObject({ required: ['id'] })
  const [tool] = (await imported(root)).tools
  expect(tool?.plan.parameters).toMatchObject([
    { name: 'v', required: false, default: 'v1' },
    { name: 'id', required: true },
    { name: 'size', required: false },
  ])
  expect(tool?.plan.parameters[2]).not.toHaveProperty('default')
})

it('writes a recursive schema to its first repetition', async () => {
  const schemas = {
    Node: {
      type: 'object',
      properties: { name: { type: 'string' }, next: { $ref: '#/components/schemas/Node' } },
    },
  }
  const requestBody = {
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } },
  }
  const root = aSpec(
    { '/n': { post: { operationId: 'n', requestBody, responses: ok } } },
    { components: { schemas } },
  )
  expect(await inputOf(root)).toEqual({
    type: 'object',
    properties: {
      body: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          next: { type: 'object', description: '(again a Node)' },
        },
      },
    },
  })
})

function twentyTimes($ref: string): JsonObject {
  const properties = Array.from({ length: 20 }, (_, n) => [`p${n}`, { $ref }])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

it('bounds a schema whose references explode, and says which tools it shortened', async () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`L${n}`, twentyTimes(`#/components/schemas/L${n + 1}`)]),
  )
  const requestBody = {
    content: { 'application/json': { schema: { $ref: '#/components/schemas/L0' } } },
  }
  const root = aSpec(
    { '/x': { post: { operationId: 'boom', requestBody, responses: ok } } },
    { components: { schemas } },
  )
  const api = await imported(root)
  expect(JSON.stringify(api.tools[0]?.definition).length).toBeLessThan(6_000)
  expect(JSON.stringify(api.tools[0]?.definition)).toContain('p19')
  expect(api.report.shortened).toEqual(['boom'])
})

it('keeps names legal, unique, at most 64 characters long and the same on every import', async () => {
  const long = 'veryLongOperationName'.repeat(6)
  const paths = {
    '/a': { get: { operationId: 'repos/list-for-org', responses: ok } },
    '/b': { get: { operationId: 'repos list-for-org', responses: ok } },
    '/c/{id}': { get: { responses: ok } },
    '/d': { get: { operationId: `${long}One`, responses: ok } },
    '/e': { get: { operationId: `${long}Two`, responses: ok } },
  }
  const names = (await imported(aSpec(paths))).tools.map(({ definition }) => definition.name)
  expect(names.slice(0, 3)).toEqual([
    'repos_list-for-org',
    expect.stringMatching(/^repos_list-for-org_[0-9a-f]{5}$/),
    'get_c_by_id',
  ])
  expect(new Set(names).size).toBe(5)
  expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(64)
  const again = await imported(aSpec(Object.fromEntries(Object.entries(paths).toReversed())))
  const longNames = again.tools.map(({ definition }) => definition.name)
  expect(longNames).toEqual(expect.arrayContaining(names.slice(2)))
})

it('leaves room for the prefix of a server', async () => {
  const paths = { '/a': { get: { operationId: 'x'.repeat(64), responses: ok } } }
  const [tool] = (await imported(aSpec(paths), { nameLimit: 50 })).tools
  expect(tool?.definition.name.length).toBeLessThanOrEqual(50)
})

it('tells read-only and destructive operations apart', async () => {
  const paths = {
    '/a': {
      get: { operationId: 'read', responses: ok },
      post: { operationId: 'make', responses: ok },
      delete: { operationId: 'drop', responses: ok },
    },
    '/a/revoke': { post: { operationId: 'revokeToken', responses: ok } },
  }
  const hints = (await imported(aSpec(paths))).tools.map(
    ({ definition }) => definition['annotations'],
  )
  expect(hints).toEqual([
    { readOnlyHint: true },
    { destructiveHint: false },
    { destructiveHint: true, idempotentHint: true },
    { destructiveHint: true },
  ])
  const readOnly = await imported(aSpec(paths), { readOnly: true })
  expect(readOnly.tools.map(({ definition }) => definition.name)).toEqual(['read'])
  expect(readOnly.report.dropped).toHaveLength(3)
})

it('imports what include and exclude choose, by id, path or tag', async () => {
  const paths = {
    '/pets': { get: { operationId: 'listPets', tags: ['pets'], responses: ok } },
    '/pets/{id}': { delete: { operationId: 'deletePet', tags: ['pets'], responses: ok } },
    '/users': { get: { operationId: 'listUsers', tags: ['users'], responses: ok } },
  }
  const names = async (options: ImportOptions) =>
    (await imported(aSpec(paths), options)).tools.map(({ definition }) => definition.name)
  expect(await names({ include: ['tag:pets'] })).toEqual(['listPets', 'deletePet'])
  expect(await names({ exclude: ['DELETE *'] })).toEqual(['listPets', 'listUsers'])
  expect(await names({ include: ['/users'], rename: { listUsers: 'people' } })).toEqual(['people'])
})

it('separates parameters of the same name and makes their names legal', async () => {
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'id', in: 'query', schema: { type: 'string' } },
    { name: 'filter[state]', in: 'query', schema: { type: 'string' } },
    { name: 'Authorization', in: 'header', schema: { type: 'string' } },
  ]
  const paths = { '/a/{id}': { get: { operationId: 'a', parameters, responses: ok } } }
  expect(await inputOf(aSpec(paths))).toEqual({
    type: 'object',
    properties: {
      id: { type: 'string' },
      id_query: { type: 'string' },
      filter_state: { type: 'string' },
    },
    required: ['id'],
  })
})

it('says 3.0 in the words of JSON Schema and drops what a writer may not send', async () => {
  const schema = {
    type: 'object',
    required: ['id', 'age'],
    properties: {
      id: { type: 'string', readOnly: true },
      age: { type: 'integer', minimum: 0, exclusiveMinimum: true, nullable: true },
      code: { type: 'string', pattern: '(?<!a)b(?R)' },
      kind: { type: 'string', enum: Array.from({ length: 60 }, (_, n) => `k${n}`) },
    },
  }
  const requestBody = { required: true, content: { 'application/json': { schema } } }
  const paths = { '/a': { post: { operationId: 'a', requestBody, responses: ok } } }
  expect(JSON.parse(JSON.stringify(await inputOf(aSpec(paths))))).toEqual({
    type: 'object',
    properties: {
      body: {
        type: 'object',
        required: ['age'],
        properties: {
          age: { type: ['integer', 'null'], exclusiveMinimum: 0 },
          code: { type: 'string' },
          kind: { type: 'string', description: expect.stringMatching(/^One of 60: k0, k1/) },
        },
      },
    },
    required: ['body'],
  })
})

it('keeps what was not understood out, with a reason', async () => {
  const paths = {
    '/ok': { get: { operationId: 'ok', responses: ok } },
    '/lost': {
      get: { operationId: 'lost', parameters: [{ $ref: '#/components/parameters/Nope' }] },
    },
  }
  const { tools, report } = await imported(aSpec(paths))
  expect(tools.map(({ definition }) => definition.name)).toEqual(['ok'])
  expect(report).toMatchObject({
    operations: 2,
    dropped: [{ where: 'GET /lost', why: expect.stringContaining('Nope') }],
  })
})

it('promises field names but no types of an answer, so that no client rejects real data', async () => {
  const schema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
  const responses = { 200: { content: { 'application/json': { schema } } } }
  const paths = { '/a': { get: { operationId: 'a', responses } } }
  const [tool] = (await imported(aSpec(paths))).tools
  expect(tool?.definition['outputSchema']).toEqual({
    type: 'object',
    properties: { id: { description: 'integer' } },
  })
})

it('lets others work while it imports thousands of operations', async () => {
  const entries = Array.from({ length: 4_000 }, (_, n) => [`/p${n}`, { get: { responses: ok } }])
  let turns = 0
  const clock = setInterval(() => turns++, 5)
  const api = await imported(aSpec(Object.fromEntries(entries)))
  clearInterval(clock)
  expect(api.tools).toHaveLength(4_000)
  expect(turns).toBeGreaterThan(0)
})

it('asks for variables of a path that no parameter declares', async () => {
  const parameters = [{ name: 'term', in: 'query', schema: { type: 'string' } }]
  const root = aSpec({
    '/search/{kind}?term={term}&page={page}': {
      get: { operationId: 'a', parameters, responses: ok },
    },
  })
  const { tools } = await imported(root)
  expect(tools[0]?.plan.parameters.map((each) => [each.in, each.name])).toEqual([
    ['path', 'term'],
    ['path', 'kind'],
    ['path', 'page'],
  ])
  expect(tools[0]?.definition['inputSchema']).toMatchObject({ required: ['term', 'kind', 'page'] })
})
