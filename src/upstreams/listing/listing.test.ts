import { expect, it } from 'vitest'
import { ExactNumber } from '../../base/json/exact-json.ts'
import { toTool } from './listing.ts'

it('gives schemas plain numbers, as the bounds of a 64-bit integer are beyond a double', () => {
  const bounds = { type: 'integer', maximum: new ExactNumber('9223372036854775807') }
  const { definition } = toTool('s', { name: 't', inputSchema: { properties: { id: bounds } } })
  expect(definition).toEqual({
    name: 't',
    inputSchema: { properties: { id: { type: 'integer', maximum: 2 ** 63 } } },
  })
  const plain = { name: 't', inputSchema: {} }
  expect(toTool('s', plain).definition).toBe(plain)
})
