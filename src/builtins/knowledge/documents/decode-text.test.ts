import { expect, it } from 'vitest'
import { decodeText } from './decode-text.ts'

const bytes = (...parts: (string | readonly number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  )
const KOREAN = [0xc7, 0xd1, 0xb1, 0xb9, 0xbe, 0xee]
const RUSSIAN = [0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]
const JAPANESE = [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42]

it.each([
  [
    'a page',
    bytes('<meta http-equiv=Content-Type content="text/html; charset=EUC-KR">', KOREAN),
    '한국어',
  ],
  ['a page of today', bytes("<meta charset='euc-kr'>", KOREAN), '한국어'],
  ['XML', bytes('<?xml version="1.0" encoding="KOI8-R"?>', RUSSIAN), 'Привет'],
  ['an editor', bytes('# -*- coding: koi8-r -*-\n', RUSSIAN), 'Привет'],
  ['text of seven bits', bytes('<meta charset=iso-2022-jp>', JAPANESE), '日本'],
])('reads the encoding that %s declares', (_, text, expected) => {
  expect(decodeText(text).endsWith(expected)).toBe(true)
})

it('reads UTF-8 as UTF-8 whatever is declared, and the unknown as Windows-1252', () => {
  expect(decodeText(bytes('<meta charset=iso-8859-1>Größe'))).toContain('Größe')
  expect(decodeText(bytes('<meta charset=nonsense>Gr', [0xf6], 'ss'))).toContain('Gröss')
  expect(decodeText(bytes(' '.repeat(5000), 'charset=euc-kr', [0xf6]))).toContain('ö')
})

it('reads the encoding that the server names', () => {
  expect(decodeText(bytes(RUSSIAN), 'text/html; charset="koi8-r"')).toBe('Привет')
  expect(decodeText(bytes(JAPANESE), 'text/html')).not.toContain('日本')
})

it.each(['utf-8', 'UTF-8', 'utf8'])(
  'loses one letter to an invalid byte of %s, not all',
  (name) => {
    const page = bytes(`<meta charset="${name}">Größe und `, [0xff], ' Länge')
    expect(decodeText(page)).toContain('Größe und \uFFFD Länge')
    expect(decodeText(bytes('Größe und ', [0xff], ' Länge'), `text/html; charset=${name}`)).toBe(
      'Größe und \uFFFD Länge',
    )
  },
)

it('reads as Windows-1252 what is declared as UTF-8 and is nothing of it', () => {
  expect(decodeText(bytes('<meta charset="utf-8">Gr', [0xf6, 0xdf], 'e'))).toContain('Größe')
})
