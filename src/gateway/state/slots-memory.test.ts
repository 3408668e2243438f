import { describe, expect, it, vi } from 'vitest'
import { someSlots } from '../../../test/support/some-slots.ts'

const settled = async () => new Promise((resolve) => setImmediate(resolve))

describe('what is remembered of an agent that abandoned a call', () => {
  const limits = { total: 20, perAgent: 4 }

  /** Slots of which `low` may have two of four, and how many it can take and give back. */
  async function narrowed() {
    const some = someSlots(limits)
    const { slots, take } = some
    take('low')
    slots.abandon('low', Promise.resolve())
    await settled()
    const most = () => {
      const leaving = new AbortController()
      let taken = 0
      while (take('low', leaving.signal)) taken++
      leaving.abort()
      return taken
    }
    const others = (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        take(`agent${n}`)
        slots.leave(`agent${n}`)
      }
    }
    return { ...some, most, others }
  }

  it('stays while there are a thousand agents, and goes with the next one', async () => {
    const kept = await narrowed()
    kept.others(0, 999)
    expect(kept.most()).toBe(2)
    const forgotten = await narrowed()
    forgotten.others(0, 1_000)
    expect(forgotten.most()).toBe(4)
  })

  it('stays, however many there are, while it has a slot or waits for one', async () => {
    const { take, most, others, slots } = await narrowed()
    take('low')
    others(0, 2_000)
    expect(most()).toBe(1)
    expect(slots.busy).toBe(2)
  })
})

it('an agent uses a server for ten seconds after its last call', async () => {
  vi.useFakeTimers()
  try {
    const { slots, take } = someSlots({ total: 8, perAgent: 6 })
    const abandon = async () => {
      take('low')
      slots.abandon('low', new Promise((resolve) => setTimeout(resolve, 5_000)))
      await vi.advanceTimersByTimeAsync(5_000)
    }
    for (let n = 0; n < 5; n++) await abandon()
    const last = abandon()
    take('ada')
    slots.leave('ada')
    await last
    // `low` rests for ten seconds from now, `ada` has called five seconds ago.
    await vi.advanceTimersByTimeAsync(4_999)
    const leaving = new AbortController()
    expect(take('low', leaving.signal), 'ada may call again').toBe(false)
    leaving.abort()
    await vi.advanceTimersByTimeAsync(1)
    expect(take('low'), 'ada has gone').toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

it('a freed slot goes to whoever holds the fewest, though another was served longer ago', async () => {
  const { slots, take, admitted } = someSlots({ total: 3, perAgent: 3 })
  expect([take('bob'), take('eve')]).toEqual([true, true])
  slots.leave('eve')
  expect([take('ada'), take('ada')]).toEqual([true, true])
  expect([take('bob'), take('eve')]).toEqual([false, false])
  slots.leave('ada')
  await settled()
  expect(admitted).toEqual(['eve'])
})

it('answered calls are no credit for calls that are abandoned later', async () => {
  vi.useFakeTimers()
  try {
    const { slots, take } = someSlots({ total: 8, perAgent: 6 })
    for (let n = 0; n < 20; n++) {
      take('low')
      slots.leave('low')
    }
    for (let n = 0; n < 3; n++) {
      take('low')
      slots.abandon('low', new Promise((resolve) => setTimeout(resolve, 100)))
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(take('ada')).toBe(true)
    expect(take('low')).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})
