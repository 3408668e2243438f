import { expect, it } from 'vitest'
import { carriedBy, formatTraceparent, parseTraceparent } from './trace-context.ts'

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

it('believes the message before the headers it came with, and never mixes the two', () => {
  const headers = { traceparent: TRACEPARENT, tracestate: 'a=1', baggage: 'b=2' }
  expect(carriedBy({ _meta: {} }, headers)).toEqual(headers)
  expect(carriedBy({ _meta: { traceparent: 'x' } }, headers)).toEqual({ traceparent: 'x' })
  expect(carriedBy({ _meta: { baggage: 'c=3' } }, {})).toEqual({ baggage: 'c=3' })
  expect(carriedBy(undefined, undefined)).toEqual({})
})

it('lets nothing through that could not be one header', () => {
  const meta = { traceparent: TRACEPARENT, tracestate: 'a=1\r\nx-evil: 1', baggage: 7 }
  expect(carriedBy({ _meta: meta }, {})).toEqual({ traceparent: TRACEPARENT })
})

it('carries no baggage that could not be sent as a header, with or without a trace', () => {
  for (const baggage of ['a=b\r\nx: y', 'a=ü', `a=${'b'.repeat(9000)}`, 7])
    for (const traceparent of [TRACEPARENT, undefined])
      expect(carriedBy({ _meta: { baggage, traceparent } }, {})).not.toHaveProperty('baggage')
  expect(carriedBy({ _meta: { baggage: 'a=b' } }, {})).toEqual({ baggage: 'a=b' })
})

it('reads and writes traceparent', () => {
  const parsed = parseTraceparent(TRACEPARENT)
  expect(parsed).toMatchObject({ sampled: true, spanId: 'b7ad6b7169203331' })
  expect(parsed && formatTraceparent(parsed)).toBe(TRACEPARENT)
  expect(parseTraceparent(TRACEPARENT.replace(/01$/, '00'))?.sampled).toBe(false)
})

it.each([
  undefined,
  '',
  'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  '00-00000000000000000000000000000000-b7ad6b7169203331-01',
  '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
  '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
])('finds no parent in %s', (text) => {
  expect(parseTraceparent(text)).toBeUndefined()
})
