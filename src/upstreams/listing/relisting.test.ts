import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Relisting } from './relisting.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('lists the first change at once, and those after it in one go', async () => {
  let listed = 0
  const relisting = new Relisting(async () => void (listed += 1))
  relisting.changed()
  expect(listed).toBe(1)
  for (let change = 0; change < 10; change += 1) relisting.changed()
  await vi.advanceTimersByTimeAsync(249)
  expect(listed).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(listed).toBe(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(listed).toBe(2)
  relisting.changed()
  expect(listed, 'after a while without changes').toBe(3)
})

it('lists a server ever more rarely that says so whenever it is listed, and loses no change', async () => {
  let listed = 0
  let talks = true
  const relisting: Relisting = new Relisting(async () => {
    listed += 1
    if (talks) relisting.changed()
  })
  relisting.changed()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(listed).toBe(5)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(listed).toBeLessThan(30)
  talks = false
  relisting.changed()
  const before = listed
  await vi.advanceTimersByTimeAsync(30_000)
  expect(listed).toBe(before + 1)
})

it('goes on after a listing that failed', async () => {
  let listed = 0
  const relisting = new Relisting(async () => {
    listed += 1
    throw new Error('down')
  })
  relisting.changed()
  await vi.advanceTimersByTimeAsync(250)
  relisting.changed()
  expect(listed).toBe(2)
})
