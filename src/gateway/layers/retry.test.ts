import { expect, it } from 'vitest'
import { aCall, anUpstream } from '../../../test/support/a-call.ts'
import { GatewayError } from '../errors.ts'
import type { Tool } from '../upstream.ts'
import { RetryBudgets, retry } from './retry.ts'

const aTool = (readOnly: boolean, annotations = {}): Tool => ({
  server: 's',
  name: 't',
  definition: { annotations },
  readOnly,
})

function setup(error: unknown, failures: number) {
  let asked = 0
  const handle = retry(
    { retries: 2, baseMs: 1, share: 0.1 },
    new RetryBudgets(),
  )(async () => {
    if (++asked <= failures) throw error
    return { content: [] }
  })
  return { handle, asked: () => asked }
}

const down = new GatewayError('SERVER_UNAVAILABLE', 'down')

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

it('stops trying when retries become too large a share of the calls', async () => {
  const { handle, asked } = setup(down, Infinity)
  for (let i = 0; i < 50; i++) await handle(aCall({ tool: aTool(true) })).catch(() => {})
  expect(asked()).toBeLessThan(50 + 5 + 50 * 0.1 + 2)
})

it('leaves it to a server that tries again by itself', async () => {
  const { handle, asked } = setup(down, 1)
  const upstream = anUpstream({ rules: () => ({ retriesItself: true }) })
  await expect(handle(aCall({ tool: aTool(true), upstream }))).rejects.toBe(down)
  expect(asked()).toBe(1)
})
