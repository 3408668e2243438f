import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../base/json/exact-json.ts'
import { Arguments } from './arguments.ts'

const names = ['x', 'names', 'flag', 'count', 'args']
const signature = {
  name: 'a_tool',
  inputSchema: { properties: Object.fromEntries(names.map((name) => [name, {}])) },
}

const read = (values: unknown) => new Arguments(signature, values, ['arguments'])

function refused(values: unknown): unknown {
  try {
    read(values)
  } catch (error) {
    return error
  }
  return undefined
}

describe('Arguments', () => {
  it('takes what models write for a value', () => {
    expect(read({ names: ['a,b', ' c '] }).names('names')).toEqual(['a,b', 'c'])
    expect(read({ names: 'a, b,,' }).names('names')).toEqual(['a', 'b'])
    expect(read({ names: '' }).names('names')).toBeUndefined()
    expect(read({ flag: 'true' }).flag('flag')).toBe(true)
    expect(read({ count: '12' }).positive('count')).toBe(12)
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

  it('refuses what the tool does not take, with the nearest name it does', () => {
    expect(refused({ nmaes: [] })).toMatchObject({
      message: 'a_tool: unknown parameter "nmaes"',
      details: { hint: "Did you mean 'names'?" },
    })
    expect(refused({ colour: 1 })).toMatchObject({
      details: { hint: 'a_tool takes: x, names, flag, count, args.' },
    })
    for (const fine of [{ names: [] }, { arguments: {} }, { nmaes: null }, {}, undefined])
      expect(refused(fine)).toBeUndefined()
  })

  it('takes one of two names for a parameter, and refuses both at once', () => {
    expect(read({ arguments: { a: 1 } }).object('args', 'arguments')).toEqual({ a: 1 })
    expect(read({ args: { a: 2 }, arguments: null }).object('args', 'arguments')).toEqual({ a: 2 })
    expect(() => read({ args: {}, arguments: {} }).object('args', 'arguments')).toThrow(
      'a_tool: "args" and "arguments" are the same parameter',
    )
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
  expect(read({ count: number }).positive('count')).toBe(9007199254740992)
  expect(() => read({ x: number }).text('x')).toThrow('must be a string, got number')
  const args = read({ args: '{"id":9007199254740993}' }).object('args')
  expect(String(args['id'])).toBe('9007199254740993')
})
