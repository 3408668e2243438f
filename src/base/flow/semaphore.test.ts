import { expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

it('runs so many at once, the others in the order they came, failures included', async () => {
  const semaphore = new Semaphore(2)
  const started: number[] = []
  const ends: ((failure?: Error) => void)[] = []
  const runs = [0, 1, 2, 3].map(async (n) =>
    semaphore.run(async () => {
      started.push(n)
      return new Promise<number>((resolve, reject) => {
        ends[n] = (failure) => (failure ? reject(failure) : resolve(n))
      })
    }),
  )
  expect(started).toEqual([0, 1])
  ends[1]?.(new Error('down'))
  await expect(runs[1]).rejects.toThrow('down')
  await expect.poll(() => started).toEqual([0, 1, 2])
  ends[0]?.()
  await expect.poll(() => started).toEqual([0, 1, 2, 3])
  ends[2]?.()
  ends[3]?.()
  expect(await Promise.all([runs[0], runs[2], runs[3]])).toEqual([0, 2, 3])
  expect(await semaphore.run(async () => 'free again')).toBe('free again')
})
