import { expect, it } from 'vitest'
import { after } from './soon.ts'

function next(value: number): number {
  return value + 1
}

function refuse(): never {
  throw new Error('no')
}

it('goes on at once with what is here, and later with what comes later', async () => {
  expect(after(1, next)).toBe(2)
  const later = after(Promise.resolve(1), next)
  expect(later).toBeInstanceOf(Promise)
  expect(await later).toBe(2)
  expect(await after(1, async (value) => value + 2)).toBe(3)
})

it('throws at once, or fails later', async () => {
  expect(() => after(1, refuse)).toThrow('no')
  await expect(async () => after(Promise.resolve(1), refuse)).rejects.toThrow('no')
})
