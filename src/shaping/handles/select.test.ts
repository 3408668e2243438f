import { compile } from '@jmespath-community/jmespath'
import { describe, expect, it } from 'vitest'
import { ExactNumber, parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { growthOf } from './growth-of.ts'
import { select } from './select.ts'
import { StandIns } from './stand-ins.ts'

// Elsewhere an expression runs in a thread of its own; here it is asked directly.

const growth = (expression: string) => growthOf({ ...compile(expression) })

describe('what an expression may grow to', () => {
  it.each([
    ['items[0].name', 1],
    ['items[?a == `1`].name', 1],
    ['a | b | c', 1],
    ['[@, @]', 2],
    ['[@, @][] | [@, @, @][]', 6],
    ['[[@, @], [@, @]]', 4],
    ['{a: @, b: @, c: @}', 3],
    ['{a: x, b: y}', 1],
    ['{a: x, b: x}', 2],
    ['{a: x.p, b: x.q, c: y}', 2],
    ['[x, @]', 2],
    ['items ? [@, @] : @', 2],
    ['a || [@, @]', 2],
    ['length(@)', 0],
    ['[length(a), sum(b)]', 0],
    ['length([@, @])', 2],
    ['!a', 0],
    ['a == b', 0],
    ['to_string(@)', 2],
    ['to_string(to_string(@))', 4],
    ["split(',', @)", 16],
    ["join(', ', @)", 1 + 2 / 16],
    ["replace(@, 'a', 'bcd')", 4],
    ["replace([@, @][0], 'a', 'b')", 4],
    ['merge(@, @)', 2],
    ['map(&[@, @], items)', 3],
    [`'${'x'.repeat(62)}'`, 4],
    ["'x'", 1],
  ])('%s is %d times the result', (expression, times) => {
    expect(growth(expression)).toBe(times)
  })

  it.each([
    'map(&length($), items)',
    '$.a',
    'let $a = b in $a',
    "pad_left('x', `1000000000`)",
    "pad_right('x', `1000000000`)",
    "replace(text, 'x', 'y', `3`)",
    'join(text, items)',
    "replace(text, '', text)",
    'join(`1`, items)',
    '[a, [b, $]]',
    'length($)',
  ])('%s has no bound', (expression) => {
    expect(growth(expression)).toBe(Infinity)
  })
})

const text = (bytes: number) => 'x'.repeat(bytes)
const doubled = (times: number) => `${'[@, @][] | '.repeat(times)}length(@)`

describe('an expression', () => {
  it('that picks may be asked of any result, one that copies only of a small one', async () => {
    const data = { items: [text(5 << 20), 'y'] }
    expect(await select(data, 'items[1]')).toBe('y')
    expect(await select(data, `items | ${doubled(4)}`)).toBe(32)
    await expect(select(data, `items | ${doubled(6)}`)).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: 'select cannot be used: it could make 64 times the result, more than 256 MiB',
      details: { hint: expect.stringContaining('Narrow the result first') },
    })
    expect(await select({ items: ['y'] }, `items | ${doubled(6)}`)).toBe(64)
  })

  it('of any size is refused, whatever the result', async () => {
    await expect(select({}, 'length($)')).rejects.toMatchObject({
      message: 'select cannot be used: its answer could be of any size',
      details: { hint: expect.stringContaining('Leave out $') },
    })
  })

  it('may have a thousand characters', async () => {
    const longest = `a${' '.repeat(998)}`
    expect(await select({ a: 7 }, `${longest} `)).toBe(7)
    await expect(select({ a: 7 }, `${longest}  `)).rejects.toMatchObject({
      message: expect.stringContaining('longer than 1000 characters'),
      details: { hint: expect.stringContaining('Shorten it. Write JMESPath') },
    })
  })

  it('that is none is refused with what it should be', async () => {
    await expect(select({}, 'items[')).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('select cannot be used: '),
      details: { hint: expect.stringContaining('Write JMESPath'), cause: expect.anything() },
    })
    await expect(select({ a: 1 }, 'length(a)')).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  })

  it('keeps numbers that no double can hold, also in a text', async () => {
    const data = parseExact('{"rows":[{"id":9007199254740993},{"id":9007199254740992}],"n":1}')
    const found = async (expression: string) => stringifyExact(await select(data, expression))
    expect(await found('rows[].id')).toBe('[9007199254740993,9007199254740992]')
    expect(await found('rows[?id == `9007199254740993`].id')).toBe('[9007199254740993]')
    expect(await found('rows[?id == ` 9007199254740992 `].id')).toBe('[9007199254740992]')
    expect(await found('to_string(rows[0].id)')).toBe('"9007199254740993"')
    expect(await found("to_string('x')")).toBe('"x"')
    expect(await found('n')).toBe('1')
    expect(await select({ n: 1 }, 'to_string(n)')).toBe('1')
  })
})

const exact = (digits: string) => new ExactNumber(digits)

describe('stand-ins', () => {
  it('are none where every number is a double', () => {
    const standIns = new StandIns({ a: [1, 2.5, 'x'] })
    expect([standIns.size, standIns.replace({ a: 1 })]).toEqual([0, { a: 1 }])
  })

  it('stand in the order of what they stand for, and come back as that', () => {
    const data = [
      exact('9007199254740993'),
      9007199254740992,
      exact('9007199254740995'),
      exact('-9007199254740993'),
      -9007199254740992,
      0,
    ]
    const standIns = new StandIns(data)
    const replaced = standIns.replace(data)
    if (!Array.isArray(replaced)) throw new Error('no list')
    const numbers = replaced.map(Number)
    expect(new Set(numbers).size).toBe(6)
    const [odd = 0, even = 0, larger = 0, negative = 0, lessNegative = 0, zero] = numbers
    expect(negative).toBeLessThan(lessNegative)
    expect(lessNegative).toBeLessThan(0)
    expect(zero).toBe(0)
    expect(even).toBeLessThan(odd)
    expect(odd).toBeLessThan(larger)
    expect(stringifyExact(standIns.restore(replaced))).toBe(stringifyExact(data))
  })

  it('of what no double can hold at all are none', () => {
    const data = [exact('1e400'), exact('-1e400'), exact('9007199254740993')]
    const standIns = new StandIns(data)
    expect(standIns.size).toBeGreaterThan(0)
    expect(stringifyExact(standIns.restore(standIns.replace(data)))).toBe(stringifyExact(data))
  })

  it('next to nothing are the smallest numbers there are', () => {
    const data = [0, exact('1e-400'), exact('2e-400')]
    const standIns = new StandIns(data)
    const replaced = standIns.replace(data)
    if (!Array.isArray(replaced)) throw new Error('no list')
    const [zero, one = 0, two = 0] = replaced.map(Number)
    expect(zero).toBe(0)
    expect(one).toBeGreaterThan(0)
    expect(two).toBeGreaterThan(one)
    expect(two).toBeLessThan(1e-300)
  })
})
