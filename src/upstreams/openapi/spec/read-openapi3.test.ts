import { expect, it } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { ExactNumber } from '../../../base/json/exact-json.ts'
import { readDescription } from './read-description.ts'

const responses = { 200: { description: 'ok' } }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' }, type: 'integer' }

it.each(['openapi', 'swagger'])(
  'reads what stands beside the reference of a path in %s',
  (dialect) => {
    const shared = { get: { operationId: 'read', responses } }
    const paths = {
      '/a/{id}': { $ref: '#/x-shared', parameters: [id], put: { operationId: 'write', responses } },
    }
    const { openapi: _, ...root } = aSpec(paths, { 'x-shared': shared })
    const version = dialect === 'swagger' ? { swagger: '2.0' } : { openapi: '3.1.0' }
    const { operations } = readDescription({ ...root, ...version }, 'test')
    expect(operations.map((each) => [each.id, each.parameters[0]?.schema['type']])).toEqual([
      ['read', 'integer'],
      ['write', 'integer'],
    ])
  },
)

it('sends a parameter as JSON only if its content is not plain text', () => {
  const parameters = ['application/json', 'text/plain'].map((type) => ({
    name: type,
    in: 'query',
    content: { [type]: { schema: { type: 'string' } } },
  }))
  const { operations } = readDescription(
    aSpec({ '/a': { get: { parameters, responses } } }),
    'test',
  )
  expect(operations[0]?.parameters.map(({ json }) => json)).toEqual([true, false])
})

it('fills in a version that YAML reads as a number as it is written', () => {
  const variables = { version: { default: new ExactNumber('2.0') } }
  const servers = [{ url: 'https://api.example.com/v{version}', variables }]
  const { operations, servers: read } = readDescription(
    aSpec({ '/a': { get: { responses } } }, { servers, openapi: new ExactNumber('3.0') }),
    'test',
  )
  expect([operations.length, read]).toEqual([1, ['https://api.example.com/v2.0']])
})
