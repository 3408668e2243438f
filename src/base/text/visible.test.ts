import { expect, it } from 'vitest'
import { visible, visibleName } from './visible.ts'

it.each([
  ['\u001B]0;title\u0007', '\\x1b]0;title\\x07'],
  ['\u001B]52;c;ZXZpbA==\u001B\\', '\\x1b]52;c;ZXZpbA==\\x1b\\'],
  ['up \u001B[2A and \u001B[2J clear', 'up \\x1b[2A and \\x1b[2J clear'],
  ['all is well\rdanger', 'all is well\\x0ddanger'],
  ['\u0007[31m', '\\x07[31m'],
  ['\u202Eelif_eteled\u2069', '\\u202eelif_eteled\\u2069'],
  ['\u009B2J, \u0000 and \u007F', '\\x9b2J, \\x00 and \\x7f'],
])('shows what a terminal would obey: %j', (text, shown) => {
  expect(visible(text)).toBe(shown)
})

it.each(['\u001B[1;31mred\u001B[0m', 'two\nlines\tand\r\na third\n[1m', 'é, 日本 and \u2028'])(
  'leaves colours, lines and letters: %j',
  (text) => {
    expect(visible(text)).toBe(text)
  },
)

it.each([
  ['Claude\u202Eedoc', 'Claudeedoc'],
  ['Cl\u200Bau\u2060de\uFEFF', 'Claude'],
  ['Claude\u{E0041}\u3164', 'Claude'],
  ['  Harbour \t Editor\n', 'Harbour Editor'],
  ['\u200F', ''],
  ['Éditeur 日本', 'Éditeur 日本'],
])('shows a name as it is seen: %j', (text, shown) => {
  expect(visibleName(text)).toBe(shown)
})
