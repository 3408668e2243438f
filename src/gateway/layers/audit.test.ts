import { describe, expect, it } from 'vitest'
import { RpcError } from '../../protocol/json-rpc.ts'
import { aCall } from '../../../test/support/a-call.ts'
import type { CallEvent, CallResult, Inbound } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { Pipeline } from '../pipeline.ts'
import { audit } from './audit.ts'

async function recordOf(answer: () => Promise<CallResult>, call = aCall()): Promise<CallEvent> {
  const seen: CallEvent[] = []
  const handle = Pipeline.for<Inbound, CallResult>()
    .through(audit({ record: (event) => seen.push({ ...event }) }))
    .to(answer)
  await handle(call).catch(() => {})
  const [event] = seen
  if (event === undefined || seen.length > 1) throw new Error(`recorded ${seen.length} times`)
  return event
}

function failing(error: unknown) {
  return async (): Promise<CallResult> => {
    throw error
  }
}

describe('audit', () => {
  it('records an answered call as allowed', async () => {
    const event = await recordOf(async () => ({ content: [] }))
    expect(event).toMatchObject({ decision: 'ALLOW', outcome: 'ok', isError: false })
  })

  it("keeps a tool's own error apart from a failed call", async () => {
    const event = await recordOf(async () => ({ content: [], isError: true }))
    expect(event).toMatchObject({ decision: 'ALLOW', outcome: 'tool_error', isError: true })
  })

  it('records a denial with the rule that decided', async () => {
    const error = new GatewayError('DENIED_BY_POLICY', 'no', {
      rule: 'agents.ada.deny.servers[0]',
      reason: 'server_not_allowed',
    })
    expect(await recordOf(failing(error))).toMatchObject({
      decision: 'DENY',
      outcome: 'DENIED_BY_POLICY',
      rule: 'agents.ada.deny.servers[0]',
      reason: 'server_not_allowed',
      error: 'no',
    })
  })

  it.each([
    ['TIMEOUT', 'TIMEOUT'],
    ['RATE_LIMITED', 'DENY'],
    ['UNAUTHENTICATED', 'DENY'],
    ['INVALID_AGENT_ID', 'DENY'],
    ['SERVER_UNAVAILABLE', 'ERROR'],
    ['CANCELLED', 'ERROR'],
  ] as const)('records %s as %s', async (code, decision) => {
    const event = await recordOf(failing(new GatewayError(code, 'x')))
    expect(event).toMatchObject({ decision, outcome: code })
  })

  it("records an upstream's own error answer, and a bug, as errors", async () => {
    expect(await recordOf(failing(new RpcError(-32050, 'odd')))).toMatchObject({
      decision: 'ERROR',
      outcome: 'rpc_error',
      error: '-32050 odd',
    })
    expect(await recordOf(failing('a bare string'))).toMatchObject({
      decision: 'ERROR',
      outcome: 'internal_error',
      error: 'a bare string',
    })
  })

  it('names the target of a call that failed before it was routed', async () => {
    const call = aCall({ address: { kind: 'tool', server: 'pg', tool: 'query' } })
    const event = await recordOf(failing(new GatewayError('UNAUTHENTICATED', 'x')), call)
    expect(event).toMatchObject({ server: 'pg', tool: 'query' })
  })

  it('passes the very result and the very error on', async () => {
    const ledger = { record: () => {} }
    const result = { content: [] }
    const error = new Error('mine')
    expect(await audit(ledger)(async () => result)(aCall())).toBe(result)
    await expect(audit(ledger)(failing(error))(aCall())).rejects.toBe(error)
  })

  it('measures the duration in milliseconds with two decimals', async () => {
    const { durationMs = 0 } = await recordOf(
      async () => new Promise((resolve) => setTimeout(resolve, 20, {})),
    )
    expect(durationMs).toBeGreaterThanOrEqual(19)
    expect(durationMs).toBe(Number(durationMs.toFixed(2)))
  })
})
