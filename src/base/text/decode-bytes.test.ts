import { expect, it } from 'vitest'
import { decodeBytes } from './decode-bytes.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

it.each([
  ['Shift_JIS', '8e63 8d82 82f0 8c76 8e5a 82b7 82e9', '残高を計算する'],
  ['EUC-JP', 'bbc4 b9e2 a4f2 b7d7 bbbb a4b9 a4eb', '残高を計算する'],
  ['GB18030', 'd5e2 b8f6 cec4 bcfe bcc6 cbe3 d3c3 bba7 b5c4 d3e0 b6ee', '这个文件计算用户的余额'],
  [
    'Big5',
    'b3 6f ad d3 a4 e5 a5 f3 ad 70 ba e2 a7 51 a5 ce aa cc aa ba be 6c c3 42',
    '這個文件計算利用者的餘額',
  ],
  ['EUC-KR', 'bbe7 bfeb c0da 20 c0dc b0ed b8a6 20 b0e8 bbea', '사용자 잔고를 계산'],
  ['Windows-1251', 'e2fb f7e8 f1eb ffe5 f2 20 e1e0 ebe0 edf1', 'вычисляет баланс'],
  ['KOI8-R', 'd7d9 dec9 d3cc d1c5 d4 20 c2c1 ccc1 ced3', 'вычисляет баланс'],
  [
    'Windows-1253',
    'f5f0 efeb efe3 dfe6 e5e9 20 f4ef 20 f5f0 fceb efe9 f0ef',
    'υπολογίζει το υπόλοιπο',
  ],
  ['Windows-1252', '4772 f6df 6520 756e 6420 4ce4 6e67 65', 'Größe und Länge'],
])('recognises %s by its letters', (_, bytes, text) => {
  expect(decodeBytes(hex(bytes))).toBe(text)
})

it('recognises it in a program, which is mostly ASCII', () => {
  const line = Buffer.from('int balance(int account) { return total[account]; }\n'.repeat(50))
  expect(
    decodeBytes(Buffer.concat([line, hex('2f2f 8e63 8d82 82f0 8c76 8e5a 82b7 82e9')])),
  ).toMatch(/\/\/残高を計算する$/)
})

it('keeps UTF-8 with a damaged byte as UTF-8', () => {
  expect(
    decodeBytes(Buffer.concat([Buffer.from('Größe und '), hex('ff'), Buffer.from(' Länge')])),
  ).toBe('Größe und \uFFFD Länge')
})
