import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { InUse } from './in-use.ts'
import { BackingOff } from '../failures.ts'
import { Line } from './line.ts'
import { Retries } from './retries.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('tells of a silence after the last call, and of none while one runs', async () => {
  const idle = vi.fn()
  const use = new InUse(100, idle)
  use.begin()
  use.begin()
  use.end()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(idle).not.toHaveBeenCalled()
  use.end()
  await vi.advanceTimersByTimeAsync(99)
  expect(idle).not.toHaveBeenCalled()
  use.begin()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(idle, 'another call has begun').not.toHaveBeenCalled()
  use.end()
  await vi.advanceTimersByTimeAsync(100)
  expect(idle).toHaveBeenCalledTimes(1)
})

it('tells of no silence where none is wanted, or once it is closed', async () => {
  const idle = vi.fn()
  const never = new InUse(undefined, idle)
  never.begin()
  never.end()
  const closed = new InUse(100, idle)
  closed.begin()
  closed.end()
  await closed.close(1_000)
  closed.begin()
  closed.end()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(idle).not.toHaveBeenCalled()
})

it('closes when the last call has ended, or when it has waited long enough', async () => {
  const use = new InUse(undefined, () => undefined)
  use.begin()
  use.begin()
  const ended = vi.fn()
  void use.close(1_000).then(ended)
  use.end()
  await vi.advanceTimersByTimeAsync(500)
  expect(ended).not.toHaveBeenCalled()
  use.end()
  await vi.advanceTimersByTimeAsync(0)
  expect(ended).toHaveBeenCalledTimes(1)

  const stuck = new InUse(undefined, () => undefined)
  stuck.begin()
  void stuck.close(1_000).then(ended)
  await vi.advanceTimersByTimeAsync(999)
  expect(ended).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(ended).toHaveBeenCalledTimes(2)
})

it('opens a lost connection again once, after its pause, and later where that was too early', async () => {
  const [one, other] = [aLine(), aLine()]
  const tried: Line[] = []
  const fail = (line: Line, failures: Error[]) =>
    vi.spyOn(line, 'link').mockImplementation(async () => {
      tried.push(line)
      throw failures.shift() ?? new Error('down')
    })
  fail(one, [new BackingOff(new Error('down'), 50)])
  fail(other, [])
  const retries = new Retries()
  retries.later(one, 100)
  retries.later(one, 200)
  retries.later(other, 150)
  await vi.advanceTimersByTimeAsync(149)
  expect(tried).toEqual([])
  await vi.advanceTimersByTimeAsync(51)
  expect(tried).toEqual([other, one])
  await vi.advanceTimersByTimeAsync(50)
  expect(tried).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(tried).toEqual([other, one, one])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(tried, 'another failure says when to try again by itself').toHaveLength(3)
  retries.later(one, 10)
  retries.close()
  await vi.advanceTimersByTimeAsync(100)
  expect(tried).toHaveLength(3)
})

function aLine(): Line {
  return new Line({
    connect: async () => Promise.reject(new Error('not part of this test')),
    connectMs: 1_000,
    backoffMs: { min: 1, max: 1 },
    up: () => undefined,
    down: () => undefined,
  })
}
