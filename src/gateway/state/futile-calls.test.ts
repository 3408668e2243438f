import { expect, it } from 'vitest'
import type { CallEvent } from '../call.ts'
import { FutileCalls } from './futile-calls.ts'

function futileCalls() {
  let now = 1_000_000
  const calls = new FutileCalls(() => now)
  return {
    calls,
    pass: (ms: number) => (now += ms),
    record: (agent: string | undefined, times: number, more: Partial<CallEvent> = {}) => {
      for (let n = 0; n < times; n++)
        calls.record({
          id: '',
          startedAt: 0,
          operation: 'tools/call',
          decision: 'DENY',
          ...(agent !== undefined && { agent }),
          ...more,
        })
    },
  }
}

const ANSWERED = { decision: 'ALLOW' } as const

it('lets an agent wait that failed often beside another, longer with each failure, up to a second', () => {
  const { calls, record } = futileCalls()
  record('bob', 1, ANSWERED)
  record('ada', 20)
  expect(calls.waitMs('ada'), 'within what is free').toBe(0)
  record('ada', 1)
  expect(calls.waitMs('ada')).toBe(10)
  record('ada', 4)
  expect(calls.waitMs('ada')).toBe(50)
  record('ada', 10_000)
  expect(calls.waitMs('ada')).toBe(1_000)
  expect(calls.waitMs('bob'), 'the other').toBe(0)
})

it('lets nobody wait who is alone, or alone again', () => {
  const { calls, record, pass } = futileCalls()
  record('ada', 100)
  expect(calls.waitMs('ada')).toBe(0)
  record('bob', 1, ANSWERED)
  expect(calls.waitMs('ada'), 'another has called').toBeGreaterThan(0)
  record('ada', 1)
  expect(calls.waitMs('ada'), 'and it has called after that').toBeGreaterThan(0)
  for (let second = 0; second < 10; second++) {
    pass(1_000)
    record('ada', 20)
  }
  expect(calls.waitMs('ada'), 'the other has gone').toBe(0)
})

it('forgets failures with time, and one with each answer', () => {
  const { calls, record, pass } = futileCalls()
  record('bob', 1, ANSWERED)
  record('ada', 40)
  expect(calls.waitMs('ada')).toBe(200)
  record('ada', 5, ANSWERED)
  expect(calls.waitMs('ada')).toBe(150)
  pass(1_000)
  expect(calls.waitMs('ada')).toBe(50)
  pass(500)
  expect(calls.waitMs('ada')).toBe(0)
  pass(5_000)
  record('ada', 21)
  expect(calls.waitMs('ada'), 'no credit is kept').toBe(10)
})

it('never lets an agent wait whose calls fail now and then', () => {
  const { calls, record } = futileCalls()
  record('bob', 1, ANSWERED)
  for (let n = 0; n < 1_000; n++) {
    record('ada', 1)
    record('ada', 1, ANSWERED)
  }
  expect(calls.waitMs('ada')).toBe(0)
})

it('sees an agent that came long after the failures, and none in a caller that nobody knows', () => {
  const { calls, record, pass } = futileCalls()
  record('ada', 300)
  pass(11_000)
  record(undefined, 1)
  expect(calls.waitMs('ada')).toBe(0)
  record('bob', 1, ANSWERED)
  expect(calls.waitMs('ada')).toBeGreaterThan(0)
})

it('does not count what a server failed at, nor callers that nobody knows', () => {
  const { calls, record } = futileCalls()
  record('bob', 1, ANSWERED)
  for (const outcome of ['SERVER_UNAVAILABLE', 'SERVER_BUSY', 'CIRCUIT_OPEN', 'rpc_error'])
    record('ada', 100, { decision: 'ERROR', outcome })
  record(undefined, 100)
  expect(calls.waitMs('ada')).toBe(0)
  record('ada', 100, { decision: 'ERROR', outcome: 'TOOL_NOT_FOUND' })
  expect(calls.waitMs('ada')).toBeGreaterThan(0)
})

it('counts the calls of handles for the agent that minted them', () => {
  const { calls, record } = futileCalls()
  record('bob', 1, ANSWERED)
  for (let n = 0; n < 30; n++) record(`sub-${n}`, 1, { ancestors: ['near', 'middle', 'ada'] })
  expect(calls.waitMs('ada')).toBe(100)
  for (const other of ['near', 'middle', 'sub-0']) expect(calls.waitMs(other)).toBe(0)
})

it('keeps those that wait when there are many agents', () => {
  const { calls, record } = futileCalls()
  record('ada', 100)
  for (let n = 0; n < 3_000; n++) record(`agent-${n}`, 1)
  expect(calls.waitMs('ada')).toBe(800)
})

it('drops those that do not wait when there are many agents', () => {
  const { calls, record } = futileCalls()
  record('ada', 15)
  for (let n = 0; n < 999; n++) record(`agent-${n}`, 1)
  record('ada', 6)
  expect(calls.waitMs('ada'), 'there is room for all').toBe(10)
  record('bob', 15)
  for (let n = 0; n < 1_000; n++) record(`other-${n}`, 1)
  record('bob', 6)
  expect(calls.waitMs('bob')).toBe(0)
})
