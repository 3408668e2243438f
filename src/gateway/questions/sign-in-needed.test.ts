import { expect, it } from 'vitest'
import { SignInNeeded } from './sign-in-needed.ts'

it('a sign-in that is needed says nothing against the server', () => {
  const needed = new SignInNeeded('mail', 'wants you to sign in', { hint: 'Open the page.' })
  expect(needed).toMatchObject({
    code: 'SIGN_IN_REQUIRED',
    message: "Server 'mail' wants you to sign in",
    details: { reason: 'sign_in_needed', inconclusive: true, hint: 'Open the page.' },
  })
})
