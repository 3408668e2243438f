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
