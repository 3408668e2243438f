import { readFileSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import * as fc from 'fast-check'
import { get_encoding } from 'tiktoken'
import { afterAll, describe, expect, it } from 'vitest'
import { countTokens, countUpTo, fits } from './tokens.ts'
import { MUTATING, runs } from '../../test/support/mutating.ts'

const root = resolve(import.meta.dirname, '../..')
const reference = get_encoding('cl100k_base')
const exact = (text: string) => reference.encode_ordinary(text).length

afterAll(() => reference.free())

const code = readdirSync(resolve(root, 'src/shaping/tokens'))
  .map((file) => readFileSync(resolve(root, 'src/shaping/tokens', file), 'utf8'))
  .join('\n')

/** Short in a mutation run: a mutant that loops is found out by how much oftener its code runs. */
const SAMPLE_LENGTH = MUTATING ? 2_000 : 100_000

const SAMPLES: Record<string, string> = {
  'source code': code.slice(0, SAMPLE_LENGTH),
  'pretty JSON': readFileSync(resolve(root, 'package-lock.json'), 'utf8').slice(0, SAMPLE_LENGTH),
  'compact JSON': JSON.stringify(
    JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')),
  ).slice(0, SAMPLE_LENGTH),
  prose: readFileSync(resolve(root, 'LICENSE'), 'utf8').slice(0, SAMPLE_LENGTH),
  'many scripts':
    "Zażółć gęślą jaźń. Съешь же ещё. 敏捷的棕色狐狸 いろは 안녕하세요 שלום مرحبا नमस्ते ÀÉÎ ǅ ʰ 'ſ I'LL WE'VE",
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈 ok 🙂🙃 e\u0301 \u0301x \ufeffstart next\u0085line',
  'letters and digits beyond the basic plane':
    "𝐀𝐛𝐂 𐐀𐐨𐐩𐐀 𠀀𠀁 x𝐀y 𝟘𝟙𝟚𝟛𝟜5 \u{1E900}\u{1E922}\u{1E944} 𝐀's 𝐛'LL ʰ𝐀ʰ A\u0301b É𝐛\u0301",
  'ends of words':
    "I'll DON'T x're 'S ab'c //\n/x ...\r\n/ 1234567 12 ½x Ab ABc aBC 中A中 e\u0301E",
  'white space': ' a  b\t\tc \n\n  d\r\n\r\n   \n e   ',
  'special tokens as text': '<|endoftext|> <|im_start|>',
  nothing: '',
}

describe('cl100k_base', () => {
  it.each(Object.keys(SAMPLES))('counts %s as the reference does', (name) => {
    const text = SAMPLES[name] ?? ''
    expect(countTokens(text)).toBe(exact(text))
  })

  it.each([
    'many scripts',
    'emoji',
    'letters and digits beyond the basic plane',
    'ends of words',
    'white space',
  ])('counts every beginning of %s as the reference does', (name) => {
    const characters = Array.from(SAMPLES[name] ?? '')
    const beginnings = characters.map((_, at) => characters.slice(0, at + 1).join(''))
    expect(beginnings.map((text) => countTokens(text))).toEqual(beginnings.map(exact))
  })

  it('counts any text as the reference does', () => {
    const awkward = fc.constantFrom(
      ..."'s 'LL 'ſ / // A Ab aB é e\u0301 \u0301 ǅ ʰ 中 ١ ½ 007 🙂 {\"a\":".split(' '),
      ...Array.from(' \t\n\r\u0085\ufeff\u3000'),
    )
    // Not every code point: the newest letters are letters only where the Unicode tables know them.
    const text = fc.array(fc.oneof(awkward, fc.string({ unit: 'grapheme' })), { maxLength: 40 })
    fc.assert(
      fc.property(text, (parts) => {
        const joined = Buffer.from(parts.join('')).toString()
        expect(countTokens(joined)).toBe(exact(joined))
      }),
      { numRuns: runs(500) },
    )
  })

  it('says whether a text fits exactly at the limit, just below and just above', () => {
    const text = SAMPLES['source code'] ?? ''
    const tokens = exact(text)
    expect([tokens - 1, tokens, tokens + 1].map((limit) => fits(text, limit))).toEqual([
      false,
      true,
      true,
    ])
  })

  it.skipIf(MUTATING).each([
    ['one letter', 'a'.repeat(1_000_000)],
    ['spaces', ' '.repeat(1_000_000)],
    ['base64', Buffer.from(code.repeat(60)).toString('base64').slice(0, 1_000_000)],
  ])('counts a megabyte of %s without quadratic work', (_, text) => {
    const started = process.cpuUsage()
    countTokens(text)
    const { user, system } = process.cpuUsage(started)
    // Quadratic libraries need minutes here; the rest of the margin is for busy machines.
    expect((user + system) / 1000).toBeLessThan(3000)
  })
})

it('agrees with the reference on a long unbroken run', () => {
  const text = `${'ab'.repeat(3000)}${'='.repeat(5000)}`
  expect(countTokens(text)).toBe(exact(text))
})

it('stops counting soon after the limit is passed', () => {
  const counted = countUpTo('word '.repeat(1_000_000), 100)
  expect(counted).toBeGreaterThan(100)
  expect(counted).toBeLessThan(200)
})

it('knows without counting that a short text fits and that a huge one does not', () => {
  expect(fits('abc', 9)).toBe(true)
  expect(fits('a'.repeat(1000), 7)).toBe(false)
})

it('says of short texts, of one byte a letter and of three, what counting says', () => {
  for (const text of ['', 'a', 'abc', 'a b c', '中', '中文字', '\u{10FFFF}', 'x'.repeat(40)]) {
    const tokens = exact(text)
    const limits = Array.from({ length: 14 }, (_, limit) => limit)
    expect(limits.map((limit) => fits(text, limit))).toEqual(limits.map((one) => tokens <= one))
  }
})
