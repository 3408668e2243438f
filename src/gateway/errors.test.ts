import { expect, it } from 'vitest'
import { GatewayError } from './errors.ts'

it('tells a client what failed, why, and when to try again, and nothing that is not known', () => {
  expect(new GatewayError('DENIED_BY_POLICY', 'no').toObject()).toEqual({
    code: 'DENIED_BY_POLICY',
    message: 'no',
    retryable: false,
  })
  const whole = new GatewayError('RATE_LIMITED', 'slowly', {
    hint: 'Wait.',
    rule: 'limits',
    retryAfterMs: 0,
    data: { more: 1 },
    cause: 'a secret',
  })
  expect(whole.toObject()).toEqual({
    code: 'RATE_LIMITED',
    message: 'slowly',
    hint: 'Wait.',
    rule: 'limits',
    retryable: true,
    retry_after_ms: 0,
    more: 1,
  })
})
