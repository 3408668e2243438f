import { describe, expect, it } from 'vitest'
import { Canceller } from '../../base/flow/signal.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { aCall } from '../../../test/support/a-call.ts'
import type { CallEvent, CallResult, Inbound } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { Pipeline } from '../pipeline.ts'
import { audit } from './audit.ts'

async function recordOf(
  answer: () => Promise<CallResult>,
  call = aCall(),
  options: { withArguments?: boolean } = {},
): Promise<CallEvent> {
  const seen: CallEvent[] = []
  const handle = Pipeline.for<Inbound, CallResult>()
    .through(audit({ record: (event) => seen.push({ ...event }) }, options))
    .to(answer)
  await handle(call).catch(() => {})
  const [event] = seen
  if (event === undefined || seen.length > 1) throw new Error(`recorded ${seen.length} times`)
  return event
}

const longAnswer = async () => ({ content: [{ type: 'text', text: 'x'.repeat(4_000) }] })
const answer = async (): Promise<CallResult> => ({ content: [] })
async function tokensOf(more: Partial<CallEvent>) {
  const call = aCall()
  Object.assign(call.event, more)
  return (await recordOf(longAnswer, call)).tokenCount
}

const withPassword = () => aCall({ params: { name: 'echo', arguments: { password: 'x' } } })

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

  it('estimates the tokens of a result of a server that no budget has counted', async () => {
    expect(await tokensOf({ server: 'files' })).toBeGreaterThan(1_000)
    expect(await tokensOf({ server: 'files' })).toBeLessThan(1_100)
    expect(await tokensOf({ server: 'files', tokenCount: 7 })).toBe(7)
    expect(await tokensOf({})).toBeUndefined()
  })

  it('records no more of a name than any name is long', async () => {
    const long = 'x'.repeat(100_000)
    const address = { kind: 'tool', server: long, tool: long } as const
    const error = new GatewayError('DENIED_BY_POLICY', 'no', {
      rule: `agents (no rule for ${long})`,
    })
    const { server, tool, rule } = await recordOf(failing(error), aCall({ address }))
    for (const name of [server, tool, rule]) expect(name).toMatch(/^.{500}…$/)
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

  it.each([new RpcError(-32600, 'Cancelled: enough'), new Error('The client closed the request')])(
    'records a call that its caller cancelled as CANCELLED: %s',
    async (reason) => {
      const signal = new Canceller()
      signal.abort(reason)
      expect(await recordOf(failing(reason), aCall({ signal }))).toMatchObject({
        decision: 'ERROR',
        outcome: 'CANCELLED',
        error: reason.message,
      })
    },
  )

  it('names the target of a call that failed before it was routed', async () => {
    const call = aCall({ address: { kind: 'tool', server: 'pg', tool: 'query' } })
    const event = await recordOf(failing(new GatewayError('UNAUTHENTICATED', 'x')), call)
    expect(event).toMatchObject({ server: 'pg', tool: 'query' })
  })

  it('records arguments only where that is asked for', async () => {
    expect(await recordOf(answer, withPassword())).not.toHaveProperty('arguments')
    expect(await recordOf(answer, withPassword(), { withArguments: false })).not.toHaveProperty(
      'arguments',
    )
    expect(await recordOf(answer, withPassword(), { withArguments: true })).toHaveProperty(
      'arguments',
      {
        password: 'x',
      },
    )
  })

  it('names the tool of an exposed name, the server of a call to a server, and no more', async () => {
    const refused = failing(new GatewayError('UNAUTHENTICATED', 'x'))
    const exposed = await recordOf(
      refused,
      aCall({ address: { kind: 'exposed', name: 'pg__query' } }),
    )
    expect(exposed).toMatchObject({ tool: 'pg__query' })
    expect(exposed).not.toHaveProperty('server')
    const whole = await recordOf(refused, aCall({ address: { kind: 'server', server: 'pg' } }))
    expect(whole).toMatchObject({ server: 'pg' })
    expect(whole).not.toHaveProperty('tool')
    const routed = aCall({ address: { kind: 'exposed', name: 'pg__query' } })
    Object.assign(routed.event, { server: 'pg', tool: 'query' })
    expect(await recordOf(refused, routed)).toMatchObject({ server: 'pg', tool: 'query' })
    const named = aCall({ address: { kind: 'tool', server: 'pg', tool: 'quer' } })
    Object.assign(named.event, { tool: 'query' })
    expect(await recordOf(refused, named)).toMatchObject({ server: 'pg', tool: 'query' })
  })

  it('leaves what the code that answered has recorded', async () => {
    const call = aCall()
    const event = await recordOf(async () => {
      call.event.decision = 'DENY'
      return { content: [], isError: true }
    }, call)
    expect(event.decision).toBe('DENY')
    expect(event).not.toHaveProperty('outcome')
  })

  it('keeps the rule of a call that failed after it was allowed', async () => {
    const call = aCall()
    call.event.rule = 'agents.ada.allow.servers[0]'
    call.event.reason = 'because'
    const event = await recordOf(failing(new GatewayError('TIMEOUT', 'slow')), call)
    expect(event).toMatchObject({ rule: 'agents.ada.allow.servers[0]', reason: 'because' })
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
    expect(durationMs).toBeLessThan(10_000)
    expect(durationMs).toBe(Number(durationMs.toFixed(2)))
  })
})
