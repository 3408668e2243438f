import { expect, it } from 'vitest'
import type { JsonObject } from '../../../base/json/json.ts'
import { checkArguments } from '../../../gateway/validation/check-arguments.ts'
import { renderSchema } from './render-schema.ts'

const root = {
  components: {
    schemas: {
      Pet: { type: 'object', properties: { name: { type: 'string' } } },
      Id: { type: 'string', readOnly: true },
    },
  },
}
const pet = { $ref: '#/components/schemas/Pet' }

function rendered(schema: JsonObject): JsonObject {
  return renderSchema(root, schema, { depth: 4, descriptionChars: 80, properties: 40 })
}

it.each([
  { type: 'object', nullable: true, properties: { x: { type: 'string' } } },
  { type: 'object', nullable: true, additionalProperties: { type: 'string' } },
  { type: 'array', nullable: true, items: { type: 'string' } },
  { type: ['object', 'null'], properties: { x: { type: 'string' } } },
  { type: ['array', 'null'], items: { type: 'string' } },
  { nullable: true, oneOf: [{ type: 'string' }, { type: 'integer' }] },
  { nullable: true, allOf: [pet] },
  { nullable: true, anyOf: [pet] },
  { nullable: true, ...pet },
  { default: null, oneOf: [{ type: 'string' }, { type: 'integer' }] },
  { nullable: true, type: 'string', enum: ['open', 'closed'] },
])('accepts null where %j allows it', async (schema) => {
  const input = { type: 'object', properties: { body: rendered({ properties: { a: schema } }) } }
  expect((await checkArguments(input, { body: { a: null } })).errors).toEqual([])
  const { errors } = await checkArguments(input, { body: { a: [[1]] } })
  expect(errors.length).toBeGreaterThan(0)
})

it.each([
  [{ $ref: '#/components/schemas/Id' }],
  [{ ...pet, readOnly: true }],
  [{ allOf: [pet, { readOnly: true }] }],
])('does not ask for a field that is read-only: %j', (id) => {
  const schema = { type: 'object', required: ['id'], properties: { id } }
  expect(rendered(schema)).toEqual({ type: 'object' })
})
