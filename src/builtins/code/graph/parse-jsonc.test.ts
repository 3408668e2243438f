import { expect, it } from 'vitest'
import { parseJsonc } from './resolve/parse-jsonc.ts'

it('reads JSON with comments, trailing commas and a byte order mark', () => {
  const text = '\uFEFF{ // why\n "a": "http://x/*y*/", /* and */ "b": [1, 2,], }'
  expect(parseJsonc(text)).toEqual({ a: 'http://x/*y*/', b: [1, 2] })
})

it.each(['{ "a": ', '{ a: 1 }', '', '['.repeat(100_000)])(
  'says that it is no such file: %.10s',
  (text) => {
    expect(parseJsonc(text)).toBeUndefined()
  },
)
