import { expect, it } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { ExactNumber } from '../../../base/json/exact-json.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { checkArguments } from '../../../gateway/validation/check-arguments.ts'
import { type ImportOptions, importApi } from './import-api.ts'
import { readDescription } from '../spec/read-description.ts'

async function imported(root: JsonObject, options: ImportOptions = {}) {
  return importApi(readDescription(root, 'test'), options)
}

const ok = { 200: { description: 'ok' } }

it('takes no rule from what every object has', async () => {
  const parameters = [{ name: 'toString', in: 'query', schema: { type: 'string' } }]
  const root = aSpec({ '/a': { get: { operationId: 'constructor', parameters, responses: ok } } })
  const rules = { constructor: { parameters: { other: { hidden: true } } } }
  for (const tools of [undefined, Object.assign({}, rules)]) {
    const [tool] = (await imported(root, { tools })).tools
    expect(tool?.definition).toMatchObject({
      name: 'constructor',
      inputSchema: { properties: { toString: { type: 'string' } } },
    })
  }
})

it('reads an answer whose array holds arrays of its own type', async () => {
  const tree = { type: 'array', items: { $ref: '#/components/schemas/Tree' } }
  const answer = { type: 'object', properties: { tree: { $ref: '#/components/schemas/Tree' } } }
  const responses = { 200: { content: { 'application/json': { schema: answer } } } }
  const root = aSpec(
    { '/a': { get: { operationId: 'a', responses } } },
    { components: { schemas: { Tree: tree } } },
  )
  const [tool] = (await imported(root)).tools
  expect(tool?.definition['outputSchema']).toMatchObject({
    properties: { tree: { description: 'array[][][]' } },
  })
})

const ref = (n: number) => ({ $ref: `#/components/schemas/S${n}` })

it.each(['application/json', 'multipart/form-data', 'application/xml'])(
  'ends with schemas that combine each other endlessly in a body of %s',
  async (type) => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`S${n}`, { allOf: Array(100).fill(ref(n + 1)) }]),
    )
    const requestBody = { content: { [type]: { schema: ref(0) } } }
    const root = aSpec(
      { '/a': { post: { operationId: 'a', requestBody, responses: ok } } },
      { components: { schemas: { ...schemas, S40: { type: 'object' } } } },
    )
    const [tool] = (await imported(root)).tools
    expect(tool?.definition['inputSchema']).toMatchObject({ type: 'object' })
  },
)

it('loses no tool if two operations are given the same name', async () => {
  const root = aSpec({
    '/a': { get: { operationId: 'a', responses: ok } },
    '/b': { get: { operationId: 'b', responses: ok } },
  })
  const { tools } = await imported(root, { rename: { a: 'read', b: 'read' } })
  const names = tools.map(({ definition }) => definition.name)
  expect(names).toEqual(['read', expect.stringMatching(/^read_[0-9a-f]{5}$/)])
})

it('asks for no header that the credentials fill, however it is written', async () => {
  const parameters = ['x-api-key', 'X-Other'].map((name) => ({ name, in: 'header', schema: {} }))
  const root = aSpec({ '/a': { get: { operationId: 'a', parameters, responses: ok } } })
  const [tool] = (await imported(root, { filledByAuth: ['X-API-Key'] })).tools
  expect(tool?.plan.parameters.map(({ name }) => name)).toEqual(['X-Other'])
})

it('converts a default to the type it contradicts, where that is possible', async () => {
  const schemas = {
    version: { type: 'string', default: new ExactNumber('1.10') },
    page: { type: 'integer', default: '1' },
    size: { type: 'integer', default: 'small' },
    mixed: { type: ['string', 'null'], default: null },
  }
  const parameters = Object.entries(schemas).map(([name, schema]) => ({
    name,
    in: 'query',
    required: true,
    schema,
  }))
  const root = aSpec({ '/a': { get: { operationId: 'a', parameters, responses: ok } } })
  const [tool] = (await imported(root)).tools
  expect(tool?.definition['inputSchema']).toMatchObject({
    properties: {
      version: { type: 'string', default: '1.10' },
      page: { default: 1 },
      size: { default: 'small' },
      mixed: { default: null },
    },
  })
  const defaults = tool?.plan.parameters.map(({ default: initial }) => initial)
  expect(defaults).toEqual(['1.10', 1, 'small', null])
})

it('accepts every alternative, also one of a type that the schema itself leaves out', async () => {
  const labels = { type: 'array', items: { type: 'string' } }
  const named = { type: 'object', properties: { labels }, required: ['labels'] }
  const schema = { type: 'array', items: { type: 'string' }, oneOf: [named, labels] }
  const requestBody = { required: true, content: { 'application/json': { schema } } }
  const root = aSpec({ '/a': { put: { operationId: 'a', requestBody, responses: ok } } })
  const [tool] = (await imported(root)).tools
  const { inputSchema: input } = { inputSchema: {}, ...tool?.definition }
  const errorsOf = async (body: unknown) => (await checkArguments(input, { body })).errors
  expect(await errorsOf(['bug'])).toEqual([])
  expect(await errorsOf({ labels: ['bug'] })).toEqual([])
  expect(await errorsOf({ labels: [{}] })).not.toEqual([])
  expect(await errorsOf([{}])).not.toEqual([])
})
