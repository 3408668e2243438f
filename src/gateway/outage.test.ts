import { expect, it } from 'vitest'
import { RpcError } from '../protocol/json-rpc.ts'
import { GatewayError } from './errors.ts'
import { isUnanswered, verdictOf } from './outage.ts'

class HttpError extends Error {
  readonly status: unknown

  constructor(status: unknown, cause?: unknown) {
    super('HTTP', { cause })
    this.status = status
  }
}

/** An error with so many others between it and its cause. */
function behind(others: number, cause: Error): Error {
  return others === 0 ? cause : new Error('failed', { cause: behind(others - 1, cause) })
}

const aborted = Object.assign(new Error('aborted'), { name: 'AbortError' })

it.each([
  ['a timeout', new GatewayError('TIMEOUT', 'late')],
  ['a server that is gone', new GatewayError('SERVER_UNAVAILABLE', 'gone')],
  ['a server that is busy', new GatewayError('SERVER_BUSY', 'busy')],
  ['a broken connection', new Error('socket hang up')],
  ['status 500', new HttpError(500)],
  ['status 503 as a cause', behind(4, new HttpError(503))],
  ['a status that is no number', new HttpError('404')],
  ['status 404 too far away', behind(5, new HttpError(404))],
])('%s says that the server fails', (_, error) => {
  expect([verdictOf(error), isUnanswered(error)]).toEqual(['outage', true])
})

it.each([
  ['an error answer', new RpcError(-32_000, 'no')],
  ['status 499', new HttpError(499)],
  ['status 404 as a cause', behind(4, new HttpError(404))],
  [
    'status 404 of a call that then failed',
    new GatewayError('SERVER_UNAVAILABLE', 'no', { cause: new HttpError(404) }),
  ],
  ['a refusal', new GatewayError('DENIED_BY_POLICY', 'no')],
])('%s says that the server works', (_, error) => {
  expect([verdictOf(error), isUnanswered(error)]).toEqual(['answer', false])
})

it.each([
  ['a call that its caller cancelled', new GatewayError('CANCELLED', 'left'), false],
  ['an aborted request', aborted, false],
  [
    'a timeout before the server had its time',
    new GatewayError('TIMEOUT', 'late', { inconclusive: true }),
    true,
  ],
])('%s says nothing about the server', (_, error, unanswered) => {
  expect([verdictOf(error), isUnanswered(error)]).toEqual(['none', unanswered])
})
