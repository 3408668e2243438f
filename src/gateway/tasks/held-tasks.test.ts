import { expect, it, vi } from 'vitest'
import { rememberText } from '../../protocol/raw-text.ts'
import { deferred } from '../../../test/support/deferred.ts'
import type { CallResult } from '../call.ts'
import { HeldTask } from './held-task.ts'
import { HeldTasks } from './held-tasks.ts'

const aTask = (owner = 'ada', ttlMs = 60_000) => new HeldTask({ owner, ttlMs })

function aResult(bytes: number): CallResult {
  const result = { content: [] }
  rememberText(result, 'x'.repeat(bytes))
  return result
}

it('gives a task to its owner only', () => {
  const held = new HeldTasks()
  const task = aTask('ada')
  held.add(task)
  expect(held.find(task.heldId, 'ada')).toBe(task)
  expect(held.find(task.heldId, 'bob')).toBeUndefined()
})

it('cancels a task and forgets it when its time to live is over', () => {
  vi.useFakeTimers()
  try {
    const held = new HeldTasks()
    const [short, long] = [aTask('ada', 1000), aTask('ada', 5000)]
    held.add(short)
    held.add(long)
    vi.advanceTimersByTime(2000)
    expect(short.signal.aborted).toBe(true)
    expect(held.find(short.heldId, 'ada')).toBeUndefined()
    expect(held.find(long.heldId, 'ada')).toBe(long)
  } finally {
    vi.useRealTimers()
  }
})

it('has room for so many tasks of one agent, and leaves room for others', () => {
  const held = new HeldTasks({ maxPerAgent: 2, maxTasks: 3 })
  held.add(aTask('ada'))
  held.add(aTask('ada'))
  expect([held.hasRoomFor('ada'), held.hasRoomFor('bob')]).toEqual([false, true])
  held.add(aTask('bob'))
  expect(held.hasRoomFor('bob')).toBe(false)
})

it('forgets the oldest results when they take too much memory, and never a task that runs', async () => {
  const held = new HeldTasks({ maxBytes: 1000 })
  const running = aTask()
  const work = deferred<CallResult>()
  void running.run(work.promise)
  held.add(running)
  const [first, second] = [aTask(), aTask()]
  for (const task of [first, second]) {
    held.add(task)
    await task.run(Promise.resolve(aResult(600)))
  }
  expect(held.find(first.heldId, 'ada')).toBeUndefined()
  expect(held.find(second.heldId, 'ada')).toBe(second)
  expect(held.find(running.heldId, 'ada')).toBe(running)
})

it('has room again for an agent whose task is over, and counts the others still', () => {
  vi.useFakeTimers()
  try {
    const held = new HeldTasks({ maxPerAgent: 3 })
    for (const ttlMs of [1000, 5000, 5000]) held.add(aTask('ada', ttlMs))
    expect(held.hasRoomFor('ada')).toBe(false)
    vi.advanceTimersByTime(2000)
    expect([held.hasRoomFor('ada'), held.size]).toEqual([true, 2])
    held.add(aTask('ada'))
    expect(held.hasRoomFor('ada')).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

it('counts a result once, until it is forgotten, and a task that runs not at all', async () => {
  const held = new HeldTasks({ maxBytes: 5000 })
  const ended = async (bytes: number) => {
    const task = aTask()
    held.add(task)
    await task.run(Promise.resolve(aResult(bytes)))
    return task
  }
  const first = await ended(2400)
  first.answer({})
  for (const running of [aTask(), aTask()]) {
    held.add(running)
    running.answer({})
  }
  const second = await ended(2400)
  expect(held.find(first.heldId, 'ada')).toBe(first)
  const third = await ended(2500)
  expect(held.find(first.heldId, 'ada'), 'it made room').toBeUndefined()
  expect(held.find(second.heldId, 'ada')).toBe(second)
  const largest = await ended(6000)
  expect(held.find(third.heldId, 'ada')).toBeUndefined()
  expect(held.find(largest.heldId, 'ada'), 'the newest stays').toBe(largest)
})
