import { expect, it } from 'vitest'
import { StayAwake } from './stay-awake.ts'

/** An event loop whose turns take as long as the test says. */
class Loop {
  ms = 0
  turns = 0
  readonly awake = new StayAwake({ now: () => this.ms, soon: (work) => void this.#work.push(work) })
  #work: (() => void)[] = []

  get isAwake(): boolean {
    return this.#work.length > 0
  }

  turn(ms: number): void {
    this.ms += ms
    this.turns++
    for (const work of this.#work.splice(0)) work()
  }

  /** How many turns the loop takes before it sleeps, when nothing comes. */
  waitInVain(turnMs = 0.01): number {
    const before = this.turns
    this.awake.expect()
    while (this.isAwake) this.turn(turnMs)
    return this.turns - before
  }

  waitAndGet(): boolean {
    this.awake.expect()
    const { isAwake } = this
    if (isAwake) this.turn(0.01)
    this.awake.arrived()
    if (this.isAwake) this.turn(0.01)
    return isAwake
  }
}

it('keeps the loop awake for a moment, and no longer once the message has come', () => {
  const loop = new Loop()
  expect(loop.isAwake).toBe(false)
  loop.awake.expect()
  expect(loop.isAwake).toBe(true)
  loop.awake.arrived()
  loop.turn(0.01)
  expect(loop.isAwake).toBe(false)

  const turns = loop.waitInVain()
  expect(turns).toBeGreaterThan(5)
  expect(turns).toBeLessThan(30)
})

it('looks once a turn, however many messages come and go in between', () => {
  let looks = 0
  const awake = new StayAwake({ now: () => 0, soon: () => void looks++ })
  for (let count = 0; count < 10; count++) {
    awake.expect()
    awake.arrived()
  }
  expect(looks).toBe(1)
})

it('waits more and more rarely while nothing comes, and often again when something does', () => {
  const loop = new Loop()
  const tries = Array.from({ length: 1000 }, () => loop.waitInVain() > 0)
  expect(tries.slice(0, 6)).toEqual([true, false, true, false, false, false])
  expect(tries.slice(-128).filter(Boolean)).toHaveLength(1)

  while (!loop.waitAndGet());
  const hits = Array.from({ length: 1000 }, () => loop.waitAndGet())
  expect(hits.slice(-20)).not.toContain(false)
})

it('rests for a while after others had the processor', () => {
  const loop = new Loop()
  const skipped = () => Array.from({ length: 100 }, () => loop.waitAndGet()).indexOf(true)
  loop.waitInVain()
  expect(skipped()).toBe(1)
  expect(loop.waitInVain(5)).toBe(1)
  expect(skipped()).toBe(-1)
  loop.ms += 200
  expect(skipped()).toBeGreaterThanOrEqual(0)
})
