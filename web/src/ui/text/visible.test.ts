import { expect, it } from 'vitest'
import { visible } from './visible.ts'

it.each([
  ['\u202Eelif_eteled', String.raw`\u{202e}elif_eteled`],
  ['read\u200B_file', String.raw`read\u{200b}_file`],
  ['two\nlines\u001B[31m', String.raw`two\u{a}lines\u{1b}[31m`],
  ['tag\u{E0041}', String.raw`tag\u{e0041}`],
])('writes out what cannot be seen in %j', (name, shown) => {
  expect(visible(name)).toBe(shown)
})

it.each(['read_file', 'مرحبا', '日本 é', '<b>'])('leaves letters of any language: %s', (name) => {
  expect(visible(name)).toBe(name)
})
