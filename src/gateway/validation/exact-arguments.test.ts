import { expect, it } from 'vitest'
import { aCall } from '../../../test/support/a-call.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import { validate } from '../layers/validate.ts'

it('keeps every digit of a number in a text that is coerced to the JSON in it', async () => {
  const properties = { filter: { type: 'object' }, ids: { type: 'array' } }
  const definition = { inputSchema: { type: 'object', properties } }
  const tool = { server: 'gh', name: 'list', definition, readOnly: true }
  const args = { filter: '{"id":9007199254740993}', ids: '[9007199254740993]' }
  const handle = validate()(async ({ params }) => ({ sent: params['arguments'] }))
  const { sent } = await handle(aCall({ tool, params: { name: 'list', arguments: args } }))
  expect(stringifyExact(sent)).toBe('{"filter":{"id":9007199254740993},"ids":[9007199254740993]}')
})
