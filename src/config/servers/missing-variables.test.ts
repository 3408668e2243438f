import { expect, it } from 'vitest'
import { commandsFor, describeMissing } from './missing-variables.ts'

it('says how to store each variable that a server lacks', () => {
  const message = describeMissing(['STRIPE_KEY', 'STRIPE_ACCOUNT'])
  expect(commandsFor(message)).toBe(
    'portolan secrets set STRIPE_KEY && portolan secrets set STRIPE_ACCOUNT',
  )
  expect(message).toContain('`portolan secrets set STRIPE_ACCOUNT`')
  expect(commandsFor('it answered HTTP 401')).toBeUndefined()
})
