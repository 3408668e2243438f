import { expect, it } from 'vitest'
import { Circuit, type CircuitChange } from './circuit.ts'

function aCircuit(openMs = 30_000) {
  const clock = { now: 0 }
  const changes: CircuitChange[] = []
  const circuit = new Circuit(() => ({
    failures: 3,
    openMs,
    now: () => clock.now,
    onStateChange: (change) => changes.push(change),
  }))
  const fail = (times: number) => {
    for (let n = 0; n < times; n++) circuit.failed()
  }
  return { circuit, clock, changes, fail }
}

it('tells when it opens and when it closes, once each', () => {
  const { circuit, clock, changes, fail } = aCircuit()
  circuit.succeeded()
  fail(2)
  circuit.succeeded()
  fail(2)
  expect(changes).toEqual([])
  fail(1)
  expect(changes).toEqual(['open'])
  clock.now = 30_000
  expect(circuit.enter()).toBeUndefined()
  fail(1)
  expect(changes, 'a probe that failed changes nothing').toEqual(['open'])
  clock.now = 60_000
  circuit.enter()
  circuit.succeeded()
  circuit.succeeded()
  expect(changes).toEqual(['open', 'closed'])
})

it('is half open from the moment at which a call may try again', () => {
  const { circuit, clock, fail } = aCircuit()
  expect([circuit.state, circuit.enter()]).toEqual(['closed', undefined])
  fail(3)
  clock.now = 29_999
  expect([circuit.state, circuit.enter()]).toEqual(['open', 1])
  clock.now = 30_000
  expect(circuit.state).toBe('half-open')
  expect(circuit.enter()).toBeUndefined()
  expect(circuit.state, 'while one tries').toBe('half-open')
})

it.each([
  [30_000, 1_000],
  [200, 200],
])('makes the others wait little while one tries: of %i ms, %i', (openMs, waitMs) => {
  const { circuit, clock, fail } = aCircuit(openMs)
  fail(3)
  clock.now = openMs
  expect(circuit.enter()).toBeUndefined()
  expect(circuit.enter()).toBe(waitMs)
  clock.now = 2 * openMs
  expect(circuit.enter(), 'beside a probe that takes too long').toBeUndefined()
})

it('lets the next call try when a probe says nothing', () => {
  const { circuit, clock, fail } = aCircuit()
  circuit.inconclusive()
  fail(2)
  circuit.inconclusive()
  fail(1)
  circuit.inconclusive()
  expect(circuit.enter(), 'only a probe can be inconclusive').toBe(30_000)
  clock.now = 30_000
  circuit.enter()
  circuit.inconclusive()
  expect(circuit.enter()).toBeUndefined()
})

it('opens with the next failure when another replica found that the server fails', () => {
  const { circuit, fail } = aCircuit()
  circuit.expectFailure()
  expect(circuit.state).toBe('closed')
  fail(1)
  expect(circuit.state).toBe('open')
  circuit.expectFailure()
  expect(circuit.state).toBe('open')
})

it('may be tried at once when another replica found that the server works again', () => {
  const { circuit, fail } = aCircuit()
  fail(2)
  circuit.allowProbe()
  fail(1)
  expect(circuit.enter()).toBe(30_000)
  circuit.allowProbe()
  expect(circuit.enter()).toBeUndefined()
  circuit.allowProbe()
  expect(circuit.enter(), 'one probe is enough').toBe(1_000)
})

it('goes by the clock of the process where no other is given', () => {
  const circuit = new Circuit(() => ({ failures: 1, openMs: 60_000 }))
  circuit.failed()
  expect(circuit.enter()).toBeGreaterThan(1_000)
  expect(circuit.enter()).toBeLessThanOrEqual(60_000)
})
