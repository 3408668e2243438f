import { expect, it, vi } from 'vitest'
import { Canceller } from './signal.ts'
import { pause, untilAborted, withTimeout } from './time.ts'

it('gives what the work gives, or what is said of work that takes too long', async () => {
  const never = new Promise<number>(() => {})
  expect(await withTimeout(Promise.resolve(1), 60_000, () => 2)).toBe(1)
  expect(await withTimeout(never, 1, () => 2)).toBe(2)
  await expect(withTimeout(Promise.reject(new Error('down')), 60_000, () => 2)).rejects.toThrow(
    'down',
  )
  const late = withTimeout(never, 1, () => {
    throw new Error('late')
  })
  await expect(late).rejects.toThrow('late')
})

it('leaves no failure unheard of work that took too long', async () => {
  const unheard: unknown[] = []
  const hear = (reason: unknown) => unheard.push(reason)
  process.on('unhandledRejection', hear)
  let fail: ((error: Error) => void) | undefined
  const work = new Promise<number>((_, reject) => (fail = reject))
  expect(await withTimeout(work, 1, () => 2)).toBe(2)
  fail?.(new Error('down'))
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off('unhandledRejection', hear)
  expect(unheard).toEqual([])
})

it('gives what the promise gives, or the reason to stop waiting for it', async () => {
  const leaving = new Canceller()
  expect(await untilAborted(Promise.resolve(1), leaving)).toBe(1)
  const waiting = untilAborted(new Promise(() => {}), leaving)
  leaving.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
})

it('leaves no failure unheard when it was over before it began', async () => {
  const unheard: unknown[] = []
  const hear = (reason: unknown) => unheard.push(reason)
  process.on('unhandledRejection', hear)
  const left = new Canceller()
  left.abort(new Error('left'))
  await expect(untilAborted(Promise.reject(new Error('down')), left)).rejects.toThrow('left')
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off('unhandledRejection', hear)
  expect(unheard).toEqual([])
})

it('pauses for its time, or until the signal, and leaves no timer behind', async () => {
  vi.useFakeTimers()
  try {
    const leaving = new Canceller()
    const ends: string[] = []
    const paused = pause(500, leaving).then(() => ends.push('over'))
    await vi.advanceTimersByTimeAsync(499)
    expect(ends).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await paused
    const left = pause(500, leaving)
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('waits for a time that Node would take for none', async () => {
  const leaving = new Canceller()
  const work = new Promise((resolve) => setTimeout(resolve, 50, 'done'))
  const timed = withTimeout(work, 2 ** 31, () => 'late')
  const paused = pause(2 ** 31, leaving).catch(() => 'left')
  expect(await Promise.race([paused, work])).toBe('done')
  expect(await timed).toBe('done')
  leaving.abort(new Error('left'))
  expect(await paused).toBe('left')
})
