import { expect, it } from 'vitest'
import { aCall, anUpstream } from '../../../test/support/a-call.ts'
import { deferred } from '../../../test/support/deferred.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import type { CallResult } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { CircuitChange } from '../../base/flow/circuit.ts'
import { Circuits, type Hints, breaker } from './breaker.ts'

const answer: CallResult = { content: [] }

const answered = async (): Promise<CallResult> => answer

class HttpError extends Error {
  readonly status: number
  constructor(status: number) {
    super(`HTTP ${status}`)
    this.status = status
  }
}

function setup() {
  let now = 0
  let asked = 0
  let outcome = answered
  const circuits = new Circuits(() => ({ failures: 5, openMs: 30_000, now: () => now }))
  const handle = breaker(circuits)(async () => {
    asked++
    return outcome()
  })
  return {
    circuits,
    handle,
    ask: async (server = 'pg') =>
      handle(aCall({ upstream: anUpstream({ name: server }) })).catch((error: unknown) => error),
    become: (next: () => Promise<CallResult>) => (outcome = next),
    pass: (ms: number) => (now += ms),
    asked: () => asked,
  }
}

const failing = (error: unknown) => async () => {
  throw error
}

it.each([
  ['5xx', new HttpError(500)],
  [
    '5xx behind a cause',
    new GatewayError('SERVER_UNAVAILABLE', 'x', { cause: new HttpError(503) }),
  ],
  ['timeouts', new GatewayError('TIMEOUT', 'slow')],
  ['transport errors', new Error('ECONNREFUSED')],
])(
  'opens after five %s in a row and then answers at once, saying when to come back',
  async (_, error) => {
    const { ask, become, asked, circuits } = setup()
    become(failing(error))
    for (let i = 0; i < 12; i++) await ask()
    expect(asked()).toBe(5)
    expect(await ask()).toMatchObject({
      code: 'CIRCUIT_OPEN',
      retryable: true,
      message: expect.stringContaining('Try again in 30 s.'),
      details: { retryAfterMs: 30_000 },
    })
    expect(circuits.states()).toEqual({ pg: 'open' })
    expect(await ask('other')).not.toMatchObject({ code: 'CIRCUIT_OPEN' })
  },
)

it.each([
  ['4xx', failing(new HttpError(404))],
  [
    '4xx behind a cause',
    failing(new GatewayError('SERVER_UNAVAILABLE', 'x', { cause: new HttpError(401) })),
  ],
  ['error answers of the server', failing(new RpcError(-32602, 'bad arguments'))],
  ['tool errors', async () => ({ content: [], isError: true })],
])('is not opened by %s', async (_, outcome) => {
  const { ask, become, asked } = setup()
  become(outcome)
  for (let i = 0; i < 20; i++) await ask()
  expect(asked()).toBe(20)
})

it('starts to count again after a success', async () => {
  const { ask, become, asked } = setup()
  for (let i = 0; i < 20; i++) {
    become(i % 5 === 4 ? async () => answer : failing(new HttpError(500)))
    await ask()
  }
  expect(asked()).toBe(20)
})

it('sends exactly one probe after the wait, however many ask at once', async () => {
  const { ask, become, pass, asked, circuits } = setup()
  become(failing(new HttpError(500)))
  for (let i = 0; i < 5; i++) await ask()
  pass(30_001)
  const probe = deferred<CallResult>()
  become(async () => probe.promise)
  const waiting = Array.from({ length: 50 }, async () => ask())
  await Promise.resolve()
  expect(asked()).toBe(6)
  expect(circuits.states()).toEqual({ pg: 'half-open' })
  probe.resolve(answer)
  const outcomes = await Promise.all(waiting)
  expect(outcomes.filter((outcome) => outcome === answer)).toHaveLength(1)
  become(async () => answer)
  expect(await ask()).toBe(answer)
})

it.each([
  ['an answer of the server', failing(new RpcError(-32602, 'wrong')), 'closed'],
  ['an outage', failing(new HttpError(500)), 'open'],
  ['nothing that is about it', failing(new GatewayError('CANCELLED', 'left')), 'half-open'],
] as const)('after a probe that gave %s it is %s', async (_, outcome, state) => {
  const { ask, become, pass, circuits } = setup()
  become(failing(new HttpError(500)))
  for (let i = 0; i < 5; i++) await ask()
  pass(30_000)
  become(outcome)
  await ask()
  expect(circuits.states()).toEqual({ pg: state })
})

it('learns nothing from a call whose client has left', async () => {
  const { handle, become, circuits } = setup()
  become(failing(new HttpError(500)))
  for (let i = 0; i < 9; i++)
    await handle(
      aCall({ upstream: anUpstream({ name: 'pg' }), signal: AbortSignal.abort() }),
    ).catch(() => undefined)
  expect(circuits.states()).toEqual({ pg: 'closed' })
})

it('is forgotten with its server, and no other with it', async () => {
  const { ask, become, circuits } = setup()
  become(failing(new HttpError(500)))
  for (const server of ['pg', 'files']) for (let i = 0; i < 5; i++) await ask(server)
  circuits.forget('pg')
  expect(circuits.states()).toEqual({ files: 'open' })
})

it('tells other replicas of its state, and takes their word for no more than a hint', async () => {
  const reported: string[] = []
  const heard: Parameters<Hints['subscribe']>[0][] = []
  const hear = (upstream: string, state: CircuitChange) => heard[0]?.(upstream, state)
  const circuits = new Circuits(() => ({ failures: 2, openMs: 30_000, now: () => 0 }), {
    report: (upstream, state) => reported.push(`${upstream} ${state}`),
    subscribe: (listener) => void heard.push(listener),
  })
  const fail = async (server: string) =>
    breaker(circuits)(failing(new HttpError(500)))(
      aCall({ upstream: anUpstream({ name: server }) }),
    ).catch((error: unknown) => error)
  hear('pg', 'open')
  hear('unknown', 'closed')
  expect(circuits.states()).toEqual({ pg: 'closed' })
  await fail('pg')
  await fail('files')
  expect(circuits.states()).toEqual({ pg: 'open', files: 'closed' })
  expect(reported).toEqual(['pg open'])
  hear('pg', 'closed')
  expect(circuits.states()).toEqual({ pg: 'half-open', files: 'closed' })
})

it('opens again when the probe fails, and passes the probe on when its caller leaves', async () => {
  const { ask, become, pass, asked } = setup()
  become(failing(new HttpError(500)))
  for (let i = 0; i < 5; i++) await ask()
  pass(30_001)
  become(failing(new GatewayError('CANCELLED', 'left')))
  await ask()
  become(failing(new HttpError(500)))
  await ask()
  expect(await ask()).toMatchObject({ code: 'CIRCUIT_OPEN' })
  expect(asked()).toBe(7)
})
