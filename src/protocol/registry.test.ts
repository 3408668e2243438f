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

it('keeps numbers with the same last bits apart, in whatever order they come and go', () => {
  const registry = new Registry<string>()
  const ids = [1, 257, 513, -255, 1.5, 2 ** 40 + 1]
  for (const id of ids) registry.set(id, `value ${id}`)
  expect(ids.map((id) => registry.get(id))).toEqual(ids.map((id) => `value ${id}`))
  expect(registry.size).toBe(ids.length)
  // The place is free again, while another with the same bits is still in the object.
  expect(registry.take(1)).toBe('value 1')
  registry.set(769, 'value 769')
  for (const id of [...ids.slice(1), 769]) expect(registry.take(id)).toBe(`value ${id}`)
  expect(registry.size).toBe(0)
})

it('replaces the value of the same id', () => {
  const registry = new Registry<string>()
  for (const id of [1, 257, 'a']) {
    registry.set(id, 'old')
    registry.set(id, 'new')
    expect(registry.take(id)).toBe('new')
    expect(registry.get(id)).toBeUndefined()
  }
})

it('has no second value of an id whose place became free', () => {
  const registry = new Registry<string>()
  registry.set(1, 'first')
  registry.set(257, 'old')
  registry.take(1)
  registry.set(257, 'new')
  expect(registry.take(257)).toBe('new')
  expect(registry.take(257)).toBeUndefined()
})
