import { expect, it } from 'vitest'
import { GatewayError } from '../gateway/errors.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import { HttpError, toHttpFailure } from './http-error.ts'

it.each([
  [new HttpError(418, 'TEAPOT', 'no', 'Use a cup.'), 418, 'TEAPOT', 'Use a cup.'],
  [new GatewayError('DENIED_BY_POLICY', 'no', { hint: 'Ask.' }), 403, 'DENIED_BY_POLICY', 'Ask.'],
  [new GatewayError('TIMEOUT', 'no'), 504, 'TIMEOUT', null],
  [new RpcError(-32_000, 'no'), 502, 'UPSTREAM_ERROR', null],
  [new Error('no'), 500, 'INTERNAL_ERROR', 'This is a fault of Portolan; its log says more.'],
])('answers %s with its status, code and next step', (error, status, code, hint) => {
  expect(toHttpFailure(error)).toEqual({
    status,
    headers: {},
    body: { error: { code, message: 'no', hint } },
  })
})

it('asks for a credential only where one is missing', () => {
  const { status, headers } = toHttpFailure(new GatewayError('UNAUTHENTICATED', 'who?'))
  expect([status, headers]).toEqual([401, { 'www-authenticate': 'Bearer realm="portolan"' }])
})

it('shows no key that a message holds', () => {
  const { body } = toHttpFailure(
    new Error('failed with token=ghp_0123456789abcdefghijABCDEFGHIJ456789'),
  )
  expect(body.error.message).not.toContain('ghp_')
  expect(body.error.message).toContain('failed with')
})
