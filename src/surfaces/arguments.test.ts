import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../base/exact-json.ts'
import { Arguments } from './arguments.ts'

const read = (values: unknown) => new Arguments('a_tool', values)

describe('Arguments', () => {
  it('takes what models write for a value', () => {
    expect(read({ names: ['a,b', ' c '] }).names('names')).toEqual(['a,b', 'c'])
    expect(read({ names: 'a, b,,' }).names('names')).toEqual(['a', 'b'])
    expect(read({ names: '' }).names('names')).toBeUndefined()
    expect(read({ flag: 'true' }).flag('flag')).toBe(true)
    expect(read({ n: '12' }).positive('n')).toBe(12)
    expect(read({ args: '{"a":1}' }).object('args')).toEqual({ a: 1 })
  })

  it('takes null and nothing for not given', () => {
    for (const values of [{}, { x: null }, undefined, 'text', []]) {
      const args = read(values)
      expect([args.text('x'), args.names('x'), args.positive('x')]).toEqual([
        undefined,
        undefined,
        undefined,
      ])
      expect([args.flag('x'), args.object('x')]).toEqual([false, {}])
    }
  })

  it.each([
    ['text', 7, 'a_tool: "x" must be a string, got number'],
    ['flag', 'maybe', 'a_tool: "x" must be true or false, got string'],
    ['positive', 1.5, 'a_tool: "x" must be a positive whole number, got number'],
    ['positive', '-3', 'a_tool: "x" must be a positive whole number, got string'],
    ['names', [1], 'a_tool: "x" must be an array of strings, got an array'],
    ['object', '[1]', 'a_tool: "x" must be an object, got string'],
    ['required', '', 'Missing required parameter: x'],
  ] as const)('%s refuses %j and says what it wants', (how, value, message) => {
    expect(() => read({ x: value })[how]('x')).toThrow(message)
  })
})

it('counts a number beyond a double among the numbers, and keeps those inside an object', () => {
  const number = new ExactNumber('9007199254740993')
  expect(read({ n: number }).positive('n')).toBe(9007199254740992)
  expect(() => read({ name: number }).text('name')).toThrow('must be a string, got number')
  const args = read({ args: '{"id":9007199254740993}' }).object('args')
  expect(String(args['id'])).toBe('9007199254740993')
})
