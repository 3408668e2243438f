import { expect, it } from 'vitest'
import { codeRefused, notEnough, signInFailed } from './failures.ts'

it('a sign-in that is not possible says why and what to do, and nothing about the server itself', () => {
  const cause = new Error('no metadata')
  expect(signInFailed('mail', 'it is silent', cause)).toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: "Signing in to server 'mail' is not possible: it is silent",
    details: {
      reason: 'sign_in_failed',
      hint: expect.stringContaining('set oauth.clientId'),
      inconclusive: true,
    },
    cause,
  })
})

it('rights that are not enough are named, and so is who can give more', () => {
  expect(notEnough('mail', 'read write')).toMatchObject({
    message: expect.stringContaining('the scopes "read write" that you have allowed'),
    details: {
      reason: 'insufficient_scope',
      hint: expect.stringContaining('signing in again does not help'),
      inconclusive: true,
    },
  })
  expect(notEnough('mail').message).toContain('the scopes "" that')
})

it('a refused code is told apart from the answer of a stranger', () => {
  const cause = new Error('what the other side wrote')
  expect(codeRefused(false, cause)).toMatchObject({
    message: 'its authorization server refused the code',
    cause,
  })
  expect(codeRefused(true, cause)).toMatchObject({
    message: 'the answer came from another authorization server',
    cause,
  })
})
