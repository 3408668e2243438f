import { expect, it } from 'vitest'
import { ExactNumber } from '../base/json/exact-json.ts'
import { Registry } from './registry.ts'

it('gives each value back once', () => {
  const registry = new Registry<string>()
  registry.set(1, 'one')
  expect(registry.get(1)).toBe('one')
  expect(registry.take(1)).toBe('one')
  expect(registry.take(1)).toBeUndefined()
  expect(registry.get(1)).toBeUndefined()
})

it('tells a number from the same text, and knows nothing it was not given', () => {
  const registry = new Registry<string>()
  registry.set(1, 'number')
  registry.set('1', 'text')
  expect([registry.get(1), registry.get('1')]).toEqual(['number', 'text'])
  for (const id of ['toString', '__proto__', 'constructor'])
    expect(registry.get(id)).toBeUndefined()
  registry.set('__proto__', 'odd')
  expect(registry.take('__proto__')).toBe('odd')
})

it('tells numbers that no double can hold from each other, and from the same text', () => {
  const registry = new Registry<string>()
  registry.set(new ExactNumber('9007199254740993'), 'odd')
  registry.set('9007199254740993', 'text')
  expect(registry.get(new ExactNumber('9007199254740993'))).toBe('odd')
  expect(registry.get('9007199254740993')).toBe('text')
  expect(registry.get(9_007_199_254_740_992)).toBeUndefined()
})

it('gives back all that is left', () => {
  const registry = new Registry<string>()
  registry.set(1, 'a')
  registry.set('x', 'b')
  expect(registry.takeAll().toSorted()).toEqual(['a', 'b'])
  expect(registry.takeAll()).toEqual([])
})
