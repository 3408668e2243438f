import { expect, it } from 'vitest'
import { aCall, aClient, anUpstream } from '../../../test/support/a-call.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import type { Authorized, CallResult } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { Handler } from '../pipeline.ts'
import type { Hop, Span } from '../tracing.ts'
import { hop, trace } from './trace.ts'

const TRACE = 'a'.repeat(32)
const aSpan = (spanId: string, parentId?: string): Span => ({
  traceId: TRACE,
  spanId,
  sampled: true,
  parentId,
  carried: { tracestate: 'v=1' },
  startedAt: performance.timeOrigin + performance.now(),
})

function setup() {
  const begun: unknown[] = []
  const hops: Hop[] = []
  const tracing = {
    begin: (params: object, headers: object) => {
      begun.push([params, headers])
      return aSpan('1'.repeat(16))
    },
    below: ({ spanId }: Span) => aSpan('2'.repeat(16), spanId),
    ended: (ended: Hop) => void hops.push(ended),
  }
  return { tracing, begun, hops }
}

const answers = async () => ({})
const tool = { server: 'pg', name: 'query', definition: {}, readOnly: true }
const traced = (parts: Partial<Authorized> = {}) => {
  const call = aCall({ upstream: anUpstream({ name: 'pg', kind: 'stdio' }), tool, ...parts })
  call.event.span = aSpan('1'.repeat(16))
  return call
}

it('starts the span of a call from what its client sent, before anything else sees it', async () => {
  const { tracing, begun } = setup()
  const params = { name: 'query' }
  const call = aCall({ params, client: aClient({ headers: { traceparent: 'x' } }) })
  let seen: Span | undefined
  await trace(tracing)(async ({ event }) => {
    seen = event.span
    return {}
  })(call)
  expect(seen?.spanId).toBe('1'.repeat(16))
  expect(begun).toEqual([[params, { traceparent: 'x' }]])
})

it('sends the span of the request along in _meta, beside what is there', async () => {
  const { tracing, hops } = setup()
  let sent: unknown
  const call = traced({ params: { name: 'query', _meta: { progressToken: 1 } } })
  const result = { content: [] }
  const answered = await hop(tracing)(async ({ params }) => {
    sent = params
    return result
  })(call)
  expect(answered).toBe(result)
  expect(sent).toEqual({
    name: 'query',
    _meta: {
      progressToken: 1,
      tracestate: 'v=1',
      traceparent: `00-${TRACE}-${'2'.repeat(16)}-01`,
    },
  })
  expect(hops).toMatchObject([
    {
      span: { spanId: '2'.repeat(16), parentId: '1'.repeat(16) },
      method: 'tools/call',
      server: 'pg',
      kind: 'stdio',
      tool: 'query',
      error: undefined,
    },
  ])
  expect(hops[0]?.durationMs).toBeGreaterThanOrEqual(0)
  expect(hops[0]?.durationMs).toBeLessThan(60_000)
})

it.each<[string, Handler<Authorized, CallResult>]>([
  ['tool_error', async () => ({ isError: true })],
  ['TIMEOUT', async () => Promise.reject(new GatewayError('TIMEOUT', 'slow'))],
  ['-32602', async () => Promise.reject(new RpcError(-32602, 'wrong'))],
  ['transport_error', async () => Promise.reject(new Error('gone'))],
])('ends the span of a request that failed as %s', async (error, next) => {
  const { tracing, hops } = setup()
  await hop(tracing)(next)(traced({ tool: undefined })).catch(() => undefined)
  expect(hops).toMatchObject([{ error, tool: undefined }])
})

it('passes an error on as it is', async () => {
  const error = new Error('gone')
  const failing = hop(setup().tracing)(async () => Promise.reject(error))
  await expect(failing(traced())).rejects.toBe(error)
})

it('leaves alone a call without a span, and every call where traces are not exported', async () => {
  expect(trace(undefined)(answers)).toBe(answers)
  expect(hop(undefined)(answers)).toBe(answers)
  const { tracing, hops } = setup()
  const call = aCall()
  let seen: Authorized | undefined
  await hop(tracing)(async (given) => {
    seen = given
    return {}
  })(call)
  expect(seen).toBe(call)
  expect(hops).toEqual([])
})
