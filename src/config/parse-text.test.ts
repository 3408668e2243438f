import { expect, it } from 'vitest'
import { parseJson } from './parse-text.ts'

it('says where JSON is wrong, and quotes nothing of a file that may have secrets', () => {
  const text = '{"env": {"TOKEN": "hush-hush" oops, "OTHER": 1}}'
  expect(() => parseJson(text)).toThrow(/^is not valid JSON: .*line 1, column 31/)
  const quoted = [
    'hush-hush',
    '{"TOKEN": hush-hush}',
    `{"a": 1, "TOKEN": ,hush-hush${' '.repeat(50)}}`,
  ]
  for (const each of quoted) {
    expect(() => parseJson(each)).toThrow('is not valid JSON: Unexpected token')
    expect(() => parseJson(each)).not.toThrow('hush')
  }
})
