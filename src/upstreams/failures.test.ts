import { expect, it } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { GatewayError } from '../gateway/errors.ts'
import { MessageTooLarge, RpcError } from '../protocol/json-rpc.ts'
import { createBroken } from './broken.ts'
import { verdictOf } from '../gateway/outage.ts'
import { BackingOff, TransportError, explainFailure, toStartError } from './failures.ts'
import { SessionLost } from './link.ts'

it('leaves errors that already say what is wrong as they are', () => {
  const gateway = new GatewayError('SERVER_BUSY', 'busy')
  const rpc = new RpcError(-32_602, 'bad')
  expect(explainFailure('a', gateway)).toBe(gateway)
  expect(explainFailure('a', rpc)).toBe(rpc)
  expect(explainFailure('a', new BackingOff(gateway, 500)), 'the pause changes nothing').toBe(
    gateway,
  )
})

it('takes a status below 500 for an answer, and every other failure for an outage', () => {
  const refused = new TransportError('HTTP 403', { status: 403 })
  const answer = explainFailure('a', refused)
  expect(answer).toBeInstanceOf(RpcError)
  expect(answer).toMatchObject({ message: "Server 'a': HTTP 403", cause: refused })
  for (const error of [
    new TransportError('HTTP 500', { status: 500 }),
    new TransportError('reset'),
    new Error('spawn ENOENT'),
  ])
    expect(explainFailure('a', error)).toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: `Server unavailable: 'a': ${error.message}`,
      cause: error,
      details: {
        reason: 'server_unavailable',
        inconclusive: false,
        hint: expect.stringContaining('get_gateway_status'),
      },
    })
})

it('says how long the pause is, and that the server was not asked', () => {
  const error = explainFailure('a', new BackingOff(new Error('ended'), 250.2))
  expect(error).toMatchObject({
    message: "Server unavailable: 'a': ended",
    details: { retryAfterMs: 251, inconclusive: true },
  })
  expect(explainFailure('a', new Error('ended'))).not.toHaveProperty('details.retryAfterMs', 251)
})

it('says that a server limits its calls, and when to call it again', () => {
  const limited = new TransportError('it answered HTTP 429', { status: 429, retryAfterMs: 6_200 })
  const error = explainFailure('a', limited)
  expect(error).toMatchObject({
    code: 'SERVER_BUSY',
    message: "Server 'a': it answered HTTP 429",
    details: { retryAfterMs: 6_200, hint: expect.stringContaining('in 7 s') },
  })
  expect(verdictOf(error), 'it works').toBe('answer')
  const away = new TransportError('it answered HTTP 503', { status: 503, retryAfterMs: 1_000 })
  expect(explainFailure('a', away)).toMatchObject({ details: { retryAfterMs: 1_000 } })
})

it('asks to check what a call did that was lost with its session', () => {
  const cause = new TransportError('it answered HTTP 500', { status: 500 })
  expect(explainFailure('a', new SessionLost({ mayRepeat: false, cause }))).toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: "Server unavailable: 'a': it has forgotten our session: it answered HTTP 500",
    details: { hint: expect.stringContaining('whether this call took effect') },
  })
})

it('says what to do about a server that serves one session only', () => {
  const refusal = new RpcError(-32_600, 'Invalid Request: Server already initialized')
  expect(explainFailure('a', toStartError(refusal))).toMatchObject({
    details: { hint: expect.stringContaining('restart the server') },
  })
})

it.each([
  [new TransportError('it answered HTTP 403', { status: 403 }), 'it answered HTTP 403'],
  [new RpcError(-32_601, 'Method not found'), 'it refused the handshake: Method not found'],
])(
  'says what to check after a refused handshake, to the first caller and the next',
  (refusal, said) => {
    const error = toStartError(refusal)
    for (const seen of [error, new BackingOff(error, 10)])
      expect(explainFailure('a', seen)).toMatchObject({
        code: 'SERVER_UNAVAILABLE',
        message: `Server unavailable: 'a': ${said}`,
        details: { hint: expect.stringContaining('check its entry in .mcp.json') },
      })
  },
)

it('shows what the server wrote, and the next step that follows from it', () => {
  const start = { output: ['npm error 404'], nextStep: 'Check the name of the package.' }
  expect(explainFailure('a', new Error('ended'), start)).toMatchObject({
    details: { hint: start.nextStep, data: { output: start.output } },
  })
  expect(explainFailure('a', new Error('ended'))).not.toHaveProperty('details.data')
})

const aContext = {
  signal: new AbortController().signal,
  client: aClient(),
  agent: undefined,
}

it('lists a server whose configuration is wrong, and refuses its calls alone', async () => {
  const broken = createBroken('a', 'about', 'no command')
  expect(broken).toMatchObject({
    name: 'a',
    kind: 'broken',
    description: 'about',
    status: { state: 'down', error: 'no command', retryAt: Infinity },
    listing: { tools: [] },
    diagnostics: { output: [] },
  })
  for (const ask of [async () => broken.list(), async () => broken.request('x', {}, aContext)])
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: "Server unavailable: 'a': no command",
      details: { inconclusive: true, hint: expect.stringContaining('loads it again') },
    })
  broken.onNotification(() => undefined)()
  await broken.close()
})

it('an answer that is too large says what to ask for, and nothing against its server', () => {
  const failure = explainFailure('a', new MessageTooLarge('its message is over the limit'))
  expect(failure).toMatchObject({
    code: 'RESULT_TOO_LARGE',
    message: "Server 'a': its message is over the limit",
    details: { hint: 'Ask for less: fewer rows, fewer fields, or one page at a time.' },
  })
  expect(verdictOf(failure)).toBe('answer')
})
