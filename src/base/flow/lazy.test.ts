import { expect, it } from 'vitest'
import { Lazy } from './lazy.ts'

/** A value that cannot be made the first `failures` times. */
function numbered(failures = 0) {
  const counts = { made: 0 }
  const lazy = new Lazy(async () => {
    counts.made += 1
    if (counts.made <= failures) throw new Error(`failure ${counts.made}`)
    return counts.made
  })
  return { counts, lazy }
}

it('makes a value once for all who ask', async () => {
  const { counts, lazy } = numbered()
  expect(await Promise.all([lazy.get(), lazy.get()])).toEqual([1, 1])
  expect(await lazy.get()).toBe(1)
  expect(counts.made).toBe(1)
})

it('tries again after a failure, which all who waited get', async () => {
  const { lazy } = numbered(1)
  const failed = [lazy.get(), lazy.get()]
  for (const asked of failed) await expect(asked).rejects.toThrow('failure 1')
  expect(await lazy.get()).toBe(2)
})

it('makes nothing for those who would only close it', async () => {
  const { counts, lazy } = numbered(1)
  expect(await lazy.made()).toBeUndefined()
  expect(counts.made).toBe(0)
  const failing = lazy.get()
  expect(await lazy.made()).toBeUndefined()
  await expect(failing).rejects.toThrow('failure 1')
  await lazy.get()
  expect(await lazy.made()).toBe(2)
})
