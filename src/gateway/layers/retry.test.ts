import { expect, it } from 'vitest'
import { aCall, anUpstream } from '../../../test/support/a-call.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { GatewayError } from '../errors.ts'
import type { Tool } from '../upstream.ts'
import { RetryBudgets, retry } from './retry.ts'

const aTool = (readOnly: boolean, annotations = {}): Tool => ({
  server: 's',
  name: 't',
  definition: { annotations },
  readOnly,
})

function setup(error: unknown, failures: number, baseMs = 1) {
  let asked = 0
  const handle = retry(
    { retries: 2, baseMs, share: 0.1 },
    new RetryBudgets(),
  )(async () => {
    if (++asked <= failures) throw error
    return { content: [] }
  })
  return { handle, asked: () => asked }
}

const down = new GatewayError('SERVER_UNAVAILABLE', 'down')
const busy = (retryAfterMs: number) =>
  new GatewayError('SERVER_UNAVAILABLE', 'busy', { retryAfterMs })

it.each([
  ['read-only', aTool(true)],
  ['idempotent', aTool(false, { idempotentHint: true })],
])('tries a %s tool again', async (_, tool) => {
  const { handle, asked } = setup(down, 2)
  await handle(aCall({ tool }))
  expect(asked()).toBe(3)
})

it.each([
  ['a tool that changes things', aTool(false), down],
  ['a timeout', aTool(true), new GatewayError('TIMEOUT', 'slow')],
  ['an open circuit', aTool(true), new GatewayError('CIRCUIT_OPEN', 'open')],
])('does not try %s again', async (_, tool, error) => {
  const { handle, asked } = setup(error, 1)
  await expect(handle(aCall({ tool }))).rejects.toBe(error)
  expect(asked()).toBe(1)
})

it('tries no more often than it is told, although more could be spent', async () => {
  const { handle, asked } = setup(down, Infinity)
  await expect(handle(aCall({ tool: aTool(true) }))).rejects.toBe(down)
  expect(asked()).toBe(3)
})

it.each([
  ['that the server answered', new RpcError(-32602, 'wrong')],
  ['of a client that left', new GatewayError('CANCELLED', 'left')],
])('does not try again after an error %s', async (_, error) => {
  const { handle, asked } = setup(error, Infinity)
  await expect(handle(aCall({ tool: aTool(true) }))).rejects.toBe(error)
  expect(asked()).toBe(1)
})

it('waits as long as the server wants, and leaves a long pause to the caller', async () => {
  const soon = setup(busy(150), 1)
  const begun = performance.now()
  await soon.handle(aCall({ tool: aTool(true) }))
  expect(performance.now() - begun).toBeGreaterThan(140)
  const late = setup(busy(7_000), Infinity)
  await expect(late.handle(aCall({ tool: aTool(true) }))).rejects.toThrow('busy')
  expect([soon.asked(), late.asked()]).toEqual([2, 1])
})

it('stops when the client has left', async () => {
  const leaving = new AbortController()
  const { handle, asked } = setup(down, Infinity)
  leaving.abort()
  await expect(handle(aCall({ tool: aTool(true), signal: leaving.signal }))).rejects.toBe(down)
  expect(asked()).toBe(1)
})

it('tries nothing again where no retries are wanted', async () => {
  let asked = 0
  const handle = retry(
    { retries: 0, baseMs: 1, share: 0.1 },
    new RetryBudgets(),
  )(async () => {
    asked++
    throw down
  })
  await expect(handle(aCall({ tool: aTool(true) }))).rejects.toBe(down)
  expect(asked).toBe(1)
})

it('waits twice as long before each further try', async () => {
  const startedAt: number[] = []
  const handle = retry(
    { retries: 2, baseMs: 40, share: 0.1 },
    new RetryBudgets(),
  )(async () => {
    startedAt.push(performance.now())
    throw down
  })
  await expect(handle(aCall({ tool: aTool(true) }))).rejects.toBe(down)
  const [first = 0, second = 0, third = 0] = startedAt
  expect(second - first).toBeGreaterThanOrEqual(19)
  expect(third - second).toBeGreaterThanOrEqual(39)
})

it('gives each server a budget of its own: half of it at first, filled by its calls', () => {
  const budgets = new RetryBudgets()
  const spendAll = (server: string) => {
    let spent = 0
    while (budgets.spend(server)) spent++
    return spent
  }
  expect(budgets.spend('unknown')).toBe(false)
  budgets.save('a', 0)
  budgets.save('b', 0)
  expect(spendAll('a')).toBe(5)
  expect(spendAll('b')).toBe(5)
  for (let call = 0; call < 30; call++) budgets.save('a', 0.5)
  expect(spendAll('a')).toBe(10)
  budgets.save('b', 0.5)
  expect(spendAll('b')).toBe(0)
  budgets.save('b', 0.5)
  expect(spendAll('b')).toBe(1)
  budgets.forget('b')
  budgets.save('b', 0)
  expect(spendAll('b')).toBe(5)
})

it('stops trying when retries become too large a share of the calls', async () => {
  const { handle, asked } = setup(down, Infinity)
  for (let i = 0; i < 50; i++) await handle(aCall({ tool: aTool(true) })).catch(() => {})
  expect(asked()).toBeLessThan(50 + 5 + 50 * 0.1 + 2)
})

it('fails with the reason of a caller that leaves before the next try', async () => {
  const { handle } = setup(down, Infinity, 60_000)
  const left = new Canceller()
  const call = handle(aCall({ tool: aTool(true), signal: left }))
  await new Promise((resolve) => setImmediate(resolve))
  left.abort(new Error('The client closed the request'))
  await expect(call).rejects.toThrow('The client closed the request')
})

it('leaves it to a server that tries again by itself', async () => {
  const { handle, asked } = setup(down, 1)
  const upstream = anUpstream({ inProcess: { rules: () => ({ retriesItself: true }) } })
  await expect(handle(aCall({ tool: aTool(true), upstream }))).rejects.toBe(down)
  expect(asked()).toBe(1)
})
