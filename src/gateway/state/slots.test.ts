import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deferred } from '../../../test/support/deferred.ts'
import { someSlots } from '../../../test/support/some-slots.ts'

const never = new AbortController().signal

const settled = async () => new Promise((resolve) => setImmediate(resolve))

describe('an agent whose results are large', () => {
  const LARGE = 64 * 1024 + 1

  it('has one call at a time while others use the server, and as many as before afterwards', async () => {
    const { slots, take, admitted } = someSlots({ total: 8, perAgent: 8 })
    expect([take('ada'), take('bob'), take('bob')]).toEqual([true, true, true])
    slots.leave('bob', LARGE)
    expect(take('bob'), 'beside the one it still has').toBe(false)
    expect([take('ada'), take('ada')], 'others').toEqual([true, true])
    slots.leave('bob', LARGE)
    await vi.waitFor(() => expect([admitted, slots.busy, slots.waiting]).toEqual([['bob'], 4, 0]))
    slots.leave('bob', LARGE - 1)
    expect([take('bob'), take('bob')], 'after a small result').toEqual([true, true])
  })

  it('waits between them while others use the server, for as long as their size says', async () => {
    vi.useFakeTimers()
    try {
      const { slots, take, admitted } = someSlots({ total: 8, perAgent: 8 })
      take('ada')
      take('bob')
      slots.leave('bob', 160_000)
      expect(take('bob')).toBe(false)
      await vi.advanceTimersByTimeAsync(9)
      expect(admitted).toEqual([])
      await vi.advanceTimersByTimeAsync(2)
      expect(admitted).toEqual(['bob'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('has what it wants where nobody else does', () => {
    const { slots, take } = someSlots({ total: 8, perAgent: 8 })
    take('bob')
    slots.leave('bob', LARGE)
    expect([take('bob'), take('bob'), take('bob')]).toEqual([true, true, true])
  })
})

describe('a freed slot', () => {
  it('goes to the waiting agent that holds the fewest, whoever came first', async () => {
    const { slots, take, admitted } = someSlots({ total: 3, perAgent: 3 })
    expect([take('ada'), take('ada'), take('bob')]).toEqual([true, true, true])
    expect([take('ada'), take('bob'), take('eve')]).toEqual([false, false, false])
    expect([slots.busy, slots.waiting]).toEqual([3, 3])
    slots.leave('ada')
    await settled()
    expect(admitted).toEqual(['eve'])
    slots.leave('eve')
    await settled()
    expect(admitted, 'of two with one each, the one served longest ago').toEqual(['eve', 'ada'])
    slots.leave('bob')
    await settled()
    expect(admitted).toEqual(['eve', 'ada', 'bob'])
    expect([slots.busy, slots.waiting]).toEqual([3, 0])
  })

  it('stays free when whoever waits may have no more', async () => {
    const { slots, take, admitted } = someSlots({ total: 3, perAgent: 2 })
    expect([take('ada'), take('ada'), take('ada'), take('bob')]).toEqual([true, true, false, true])
    slots.leave('bob')
    await settled()
    expect([admitted.length, slots.busy, slots.waiting]).toEqual([0, 2, 1])
    slots.leave('ada')
    await settled()
    expect([admitted.length, slots.busy, slots.waiting]).toEqual([1, 2, 0])
  })

  it('goes to all who wait when a reload has made more', async () => {
    const { slots, take, admitted } = someSlots({ total: 1, perAgent: 1 })
    expect([take('ada'), take('bob'), take('eve')]).toEqual([true, false, false])
    expect(take('dan', never, { total: 9, perAgent: 9 })).toBe(true)
    slots.leave('dan')
    await settled()
    expect(admitted).toEqual(['bob', 'eve'])
    expect([slots.busy, slots.waiting]).toEqual([3, 0])
  })
})

describe('a call that gives up', () => {
  it('leaves the queue with its reason, and others keep their places', async () => {
    const { slots, take, admitted } = someSlots({ total: 1, perAgent: 1 })
    take('ada')
    const leaving = new AbortController()
    const left = slots.enter('bob', leaving.signal, { total: 1, perAgent: 1 })
    take('bob')
    take('eve')
    expect(slots.waiting).toBe(3)
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(slots.waiting).toBe(2)
    slots.leave('ada')
    slots.leave('bob')
    await settled()
    expect(admitted).toEqual(['bob', 'eve'])
    expect([slots.busy, slots.waiting]).toEqual([1, 0])
  })

  it('takes no slot when it has given up before', () => {
    const { slots, take } = someSlots({ total: 1, perAgent: 1 })
    expect(() => take('ada', AbortSignal.abort(new Error('left')))).toThrow('left')
    expect(slots.busy).toBe(0)
  })
})

describe('a slot that is lent', () => {
  it('admits another call, and counts again when it is taken back', async () => {
    const { slots, take, admitted } = someSlots({ total: 1, perAgent: 2 })
    take('ada')
    take('bob')
    expect(slots.lend()).toBe(true)
    await settled()
    expect([admitted, slots.busy]).toEqual([['bob'], 1])
    expect(slots.lend(), 'as many as there are slots').toBe(false)
    slots.takeBack()
    expect(slots.busy).toBe(2)
    expect(slots.lend()).toBe(true)
  })
})

describe('an abandoned call', () => {
  const limits = { total: 8, perAgent: 6 }

  it('keeps its slot until the server is done with it', async () => {
    const { slots, take, admitted } = someSlots({ total: 1, perAgent: 1 })
    const done = deferred<void>()
    take('ada')
    slots.abandon('ada', done.promise)
    expect([take('bob'), slots.busy]).toEqual([false, 1])
    await settled()
    expect(admitted).toEqual([])
    done.resolve()
    await settled()
    expect([admitted, slots.busy]).toEqual([['bob'], 1])
  })

  it('leaves its agent half of the slots it had, down to one, and others all of theirs', async () => {
    const { slots, take } = someSlots(limits)
    const abandonAtOnce = async () => {
      expect(take('low')).toBe(true)
      slots.abandon('low', Promise.resolve())
      await settled()
    }
    const most = async (agent: string) => {
      let taken = 0
      const leaving = new AbortController()
      while (take(agent, leaving.signal)) taken++
      leaving.abort()
      for (let n = 0; n < taken; n++) slots.abandon(agent, Promise.resolve())
      await settled()
      return taken
    }
    await abandonAtOnce()
    expect(await most('low')).toBe(3)
    for (let n = 0; n < 5; n++) await abandonAtOnce()
    expect(await most('low')).toBe(1)
    expect(await most('boss')).toBe(6)
  })

  it('is made up for by calls that are answered, one slot each', async () => {
    const { slots, take } = someSlots(limits)
    for (let n = 0; n < 6; n++) {
      take('low')
      slots.abandon('low', Promise.resolve())
      await settled()
    }
    take('low')
    slots.leave('low')
    expect([take('low'), take('low'), take('low')]).toEqual([true, true, false])
    for (let n = 0; n < 3; n++) slots.leave('low')
    await settled()
    for (let n = 0; n < 20; n++) {
      take('low')
      slots.leave('low')
    }
    expect(slots.busy).toBe(0)
    expect(Array.from({ length: 7 }, () => take('low'))).toEqual([
      ...Array.from({ length: 6 }, () => true),
      false,
    ])
  })
})

describe('an agent that abandons one call after the other', () => {
  const limits = { total: 8, perAgent: 6 }
  const WORK_MS = 100

  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Slots that `ada` uses as well, and a way for `low` to abandon calls that the server works on for 100 ms. */
  function besideAda() {
    const some = someSlots(limits)
    const beside = (agent: string) => {
      const isFree = some.take(agent)
      if (isFree) some.slots.leave(agent)
      return isFree
    }
    return {
      ...some,
      isFreeFor: beside,
      abandon: async (agent = 'low', workMs = WORK_MS) => {
        expect(some.take(agent)).toBe(true)
        some.slots.abandon(agent, new Promise((resolve) => setTimeout(resolve, workMs)))
        await vi.advanceTimersByTimeAsync(workMs)
      },
    }
  }

  it('waits after the third for as long as the server worked on it, and another agent does not', async () => {
    const { abandon, take, admitted, isFreeFor } = besideAda()
    isFreeFor('ada')
    await abandon()
    await abandon()
    await abandon()
    expect([take('low'), isFreeFor('ada')]).toEqual([false, true])
    await vi.advanceTimersByTimeAsync(WORK_MS - 1)
    expect(admitted).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(admitted).toEqual(['low'])
  })

  it('waits longer with each, and ten seconds at most', async () => {
    const { slots, abandon, take, admitted, isFreeFor } = besideAda()
    const restMs = async () => {
      isFreeFor('ada')
      const before = performance.now()
      if (take('low')) return 0
      const turn = admitted.length
      while (admitted.length === turn) {
        isFreeFor('ada')
        await vi.advanceTimersByTimeAsync(10)
      }
      return performance.now() - before
    }
    const rests: number[] = []
    isFreeFor('ada')
    await abandon()
    for (let n = 0; n < 9; n++) {
      rests.push(await restMs())
      slots.abandon('low', new Promise((resolve) => setTimeout(resolve, WORK_MS)))
      await vi.advanceTimersByTimeAsync(WORK_MS)
    }
    expect(rests).toEqual([0, 0, 100, 300, 700, 1_500, 3_100, 6_300, 10_000])
  })

  it('waits one step less for each call that is answered', async () => {
    const { slots, abandon, take, isFreeFor } = besideAda()
    isFreeFor('ada')
    await abandon()
    await abandon()
    take('low')
    slots.leave('low')
    await abandon()
    expect(isFreeFor('low'), 'as after the second').toBe(true)
    await abandon()
    await abandon()
    expect(take('low')).toBe(false)
  })

  it('is counted once for calls that it abandons together', async () => {
    const { slots, take, isFreeFor } = besideAda()
    isFreeFor('ada')
    for (let n = 0; n < 4; n++) take('low')
    for (let n = 0; n < 4; n++)
      slots.abandon('low', new Promise((resolve) => setTimeout(resolve, WORK_MS + n)))
    await vi.advanceTimersByTimeAsync(WORK_MS * 2)
    expect(isFreeFor('low')).toBe(true)
  })

  it('does not wait while nobody else uses the server', async () => {
    const { slots, admitted, abandon, take, isFreeFor } = besideAda()
    for (let n = 0; n < 5; n++) await abandon()
    expect(take('low')).toBe(true)
    isFreeFor('ada')
    expect(take('low')).toBe(false)
    slots.leave('low')
    await vi.advanceTimersByTimeAsync(0)
    expect(admitted, 'it rests, though its slot is free').toEqual([])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(admitted).toEqual(['low'])
  })
})

it('forgets agents without a slot past the thousandth, and none that has or wants one', async () => {
  const { slots, take, admitted } = someSlots({ total: 2, perAgent: 1 })
  const narrow = async () => {
    take('low')
    slots.abandon('low', Promise.resolve())
    await settled()
  }
  await narrow()
  take('holder')
  take('holder')
  for (let n = 0; n < 1_100; n++) {
    take(`agent${n}`)
    slots.leave(`agent${n}`)
  }
  slots.leave('holder')
  await settled()
  expect(admitted).toEqual(['holder'])
  expect([slots.busy, slots.waiting]).toEqual([1, 0])
})
