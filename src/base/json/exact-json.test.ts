import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ExactNumber,
  MAX_VALUES,
  TooManyValues,
  compareExact,
  parseExact,
  stringifyExact,
  toDoubles,
} from './exact-json.ts'
import { canonicalJson, isObject, roughBytes } from './json.ts'

it.each([
  '1234567890123456789',
  '-9007199254740993',
  '18446744073709551615',
  '0.1234567890123456789',
  '12345678.1234567891',
  '1e400',
  '-1E+400',
  '1e-400',
  '4.9e-324',
  '100000000000000000000001e5',
  '1000000000000000000000',
  `1${'0'.repeat(400)}`,
])('keeps %s, alone and inside', (number) => {
  for (const text of [number, `[${number}]`, `{"a":{"b":[${number},1]}}`])
    expect(stringifyExact(parseExact(text))).toBe(text)
})

it.each([
  '0',
  '-0.0',
  '1.0',
  '52.0',
  '1e3',
  '0e400',
  '9007199254740992',
  '123456789012345000000',
  '0.1',
  '0.30000000000000004',
  '1.7976931348623157e308',
  '5e-324',
  '1.00000000000000000000',
  '00',
])('leaves %s to JSON.parse', (number) => {
  for (const text of [number, `[${number}]`, ` {"a":${number}} `]) {
    expect(outcomeOf(() => parseExact(text))).toEqual(outcomeOf(() => JSON.parse(text)))
  }
})

const aNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String),
    fc.option(fc.stringMatching(/^[0-9]{1,25}$/), { nil: undefined }),
    fc.option(fc.integer({ min: -450, max: 450 }), { nil: undefined }),
  )
  .map(
    ([sign, whole, fraction, power]) =>
      sign +
      whole +
      (fraction === undefined ? '' : `.${fraction}`) +
      (power === undefined ? '' : `e${power}`),
  )

/** JSON whose numbers are given as texts. */
const aText = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small' },
    aNumber,
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.string().map((text) => JSON.stringify(`${text}\\"12345678901234567890\\`)),
    fc.constantFrom('true', 'false', 'null', ' [ ] '),
    fc.array(tie('text'), { maxLength: 4 }).map((items) => `[${items.join(' ,\n')}]`),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', '1', 'é'), tie('text')), {
        maxLength: 4,
      })
      .map((fields) => `{${fields.map(([key, text]) => `"${key}": ${text}`).join(',')}}`),
  ),
})).text

/** The value of a number as a fraction of whole numbers, by other means than those under test. */
function exactly(number: string): string {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const scale = 1000 + Number(power) - fraction.length
  return `${sign}${BigInt(whole + fraction) * 10n ** BigInt(scale)}`.replace(/^-0$/, '0')
}

it('reads and writes every number with its value', () => {
  fc.assert(
    fc.property(aNumber, (number) => {
      expect(exactly(stringifyExact(parseExact(number)))).toBe(exactly(number))
    }),
  )
})

it('agrees with JSON.parse about everything but the numbers that a double cannot hold', () => {
  fc.assert(
    fc.property(aText, (text) => {
      const value = parseExact(text)
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)))
      expect(toDoubles(value)).toEqual(JSON.parse(text))
      // As text, since JSON writes minus zero as 0.
      const written = stringifyExact(value)
      expect(stringifyExact(parseExact(written))).toBe(written)
    }),
  )
})

it('agrees with JSON.stringify about every value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(stringifyExact(value)).toBe(JSON.stringify(value))
      expect(toDoubles(value)).toBe(value)
    }),
  )
  expect(stringifyExact(undefined)).toBe(JSON.stringify(undefined))
})

it('says of invalid JSON what JSON.parse says', () => {
  const broken = [
    '{1234567890123456789:1}',
    '[1234567890123456789 1]',
    '[01234567890123456789]',
    '[1234567890123456789.]',
    '[+1234567890123456789]',
    '[1234567890123456789',
    '"1234567890123456789',
    '["a\\", 1234567890123456789]',
    '',
  ]
  for (const text of broken) {
    expect(outcomeOf(() => parseExact(text))).toEqual(outcomeOf(() => JSON.parse(text)))
    expect(() => parseExact(text)).toThrow(SyntaxError)
  }
})

it('leaves numbers in strings and keys alone', () => {
  const text = '{"12345678901234567890":"12345678901234567890","\\\\":12345678901234567890}'
  const value = parseExact(text)
  expect(stringifyExact(value)).toBe(text)
  expect(value).toHaveProperty('12345678901234567890', '12345678901234567890')
})

it('takes the last of equal keys and keeps a key named __proto__ as a field', () => {
  const value = parseExact(
    '{"a":12345678901234567890,"a":1,"__proto__":{"x":98765432109876543210}}',
  )
  expect(stringifyExact(value)).toBe('{"a":1,"__proto__":{"x":98765432109876543210}}')
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  const copy = toDoubles(value)
  expect(JSON.stringify(copy)).toBe('{"a":1,"__proto__":{"x":98765432109876540000}}')
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
})

it('reads what is very deep, very long or very large', () => {
  const deep = `${'['.repeat(100_000)}12345678901234567890${']'.repeat(100_000)}`
  let inner = parseExact(deep)
  while (Array.isArray(inner)) [inner] = inner
  expect(String(inner)).toBe('12345678901234567890')

  const long = JSON.stringify('\\"'.repeat(2_000_000))
  expect(parseExact(`[${long},12345678901234567890]`)).toHaveLength(2)

  const digits = '1'.repeat(2_000_000)
  expect(String(parseExact(digits))).toBe(digits)
  const zeros = `1${'0'.repeat(2_000_000)}1e-2000001`
  expect(String(parseExact(zeros))).toBe(zeros)
})

it('is the nearest double to code that knows nothing of it', () => {
  const number = new ExactNumber('9007199254740993')
  expect(Number(number)).toBe(9007199254740992)
  expect(JSON.stringify({ number })).toBe('{"number":9007199254740992}')
  expect(String(number)).toBe('9007199254740993')
  expect(isObject(number)).toBe(false)
  expect(isObject({ number })).toBe(true)
  expect(roughBytes([number])).toBeGreaterThan(16)
})

it('gives two numbers that share a double two canonical texts', () => {
  const [one, other] = ['{"b":1,"id":9007199254740993}', '{"id":9007199254740992,"b":1}'].map(
    (text) => canonicalJson(parseExact(text)),
  )
  expect(one).toBe('{"b":1,"id":9007199254740993}')
  expect(other).toBe('{"b":1,"id":9007199254740992}')
})

it('writes exact numbers also around a value that writes itself, and after one that fails', () => {
  const own = { toJSON: () => stringifyExact([new ExactNumber('1e400')]) }
  const failing = {
    toJSON() {
      throw new Error('no')
    },
  }
  expect(() => stringifyExact([failing])).toThrow('no')
  expect(JSON.stringify(new ExactNumber('9007199254740993'))).toBe('9007199254740992')
  expect(stringifyExact([new ExactNumber('1e401'), own, new ExactNumber('1e402')])).toBe(
    '[1e401,"[1e400]",1e402]',
  )
})

it('copies only what holds an exact number', () => {
  const plain = { a: [1, { b: 2 }] }
  expect(toDoubles(plain)).toBe(plain)
  const exact = { a: [new ExactNumber('9007199254740993'), 1] }
  expect(toDoubles(exact)).toEqual({ a: [9007199254740992, 1] })
  expect(String(exact.a[0])).toBe('9007199254740993')
})

function outcomeOf(run: () => unknown): unknown {
  try {
    return { value: run() }
  } catch (error) {
    return { error: String(error) }
  }
}

it('sorts numbers by their exact value, those next to nothing too', () => {
  const sorted = [
    '-1e400',
    '-9007199254740993',
    '-9007199254740992',
    '-2e-400',
    '-1e-400',
    '0',
    '1e-400',
    '2e-400',
    '1e-399',
    '9007199254740992',
    '9007199254740993',
    '1e400',
    '2e400',
  ].map((digits) => new ExactNumber(digits))
  for (const [at, one] of sorted.entries())
    for (const [place, other] of sorted.entries()) {
      const order = compareExact(one, other)
      expect([order < 0, order > 0], `${one.text} and ${other.text}`).toEqual([
        at < place,
        at > place,
      ])
    }
  expect(compareExact(new ExactNumber('0.0'), 0)).toBe(0)
})

const many = (unit: string) => `[${unit.repeat(MAX_VALUES)}0]`

describe('JSON of very many values', () => {
  it.each(['{},', '[],', '1,', '"",', 'null ,'])('is not parsed: %s', (unit) => {
    expect(() => parseExact(many(unit))).toThrow(TooManyValues)
    expect(() => parseExact(many(unit))).toThrow('the JSON has more than 1000000 values')
  })

  it('is refused before it is parsed, so it need not be valid', () => {
    expect(() => parseExact('['.repeat(MAX_VALUES + 1))).toThrow(TooManyValues)
    expect(() => parseExact('{'.repeat(MAX_VALUES + 1))).toThrow(TooManyValues)
  })

  it('is parsed when it is within the limit, whatever its strings contain', () => {
    // One for the array, and one for each comma.
    const most = `[${'1,'.repeat(MAX_VALUES - 1)}1]`
    expect(parseExact(most)).toHaveLength(MAX_VALUES)
    const texts = ['[{,'.repeat(MAX_VALUES), '"'.repeat(MAX_VALUES), '\\,"'.repeat(MAX_VALUES)]
    expect(parseExact(JSON.stringify(texts))).toEqual(texts)
  })

  it('fails as usual when a string in it never ends', () => {
    const text = `["${'a,'.repeat(MAX_VALUES)}`
    expect(() => parseExact(text)).toThrow(SyntaxError)
    expect(() => parseExact(text)).not.toThrow(TooManyValues)
  })
})
