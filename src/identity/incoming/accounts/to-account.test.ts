import { expect, it } from 'vitest'
import { toAccount } from './to-account.ts'

const PROVIDER = { issuer: 'https://idp.example', groupsClaim: 'groups' }
const account = (claims: Record<string, unknown>, userClaim?: string) =>
  toAccount({ groups: ['ops'], ...claims }, { ...PROVIDER, userClaim })

it('is called by the verified address of a person, else by what the provider calls them', () => {
  const email = 'ada@team.example'
  expect(account({ sub: 'u-1', email, email_verified: true })).toMatchObject({
    agent: email,
    person: { user: email, groups: ['ops'] },
    source: 'provider',
  })
  for (const email_verified of [undefined, false, 'true'])
    expect(account({ sub: 'u-1', email, email_verified }).agent).toBe('u-1')
  expect(account({ sub: 'u-1', upn: 'ada', email, email_verified: true }, 'upn').agent).toBe('ada')
})

it('has another name where that cannot stand in rules, one for each person and provider', () => {
  const odd = account({ sub: 'a b|c' }).agent
  expect(odd).toMatch(/^user-[\da-f]{20}$/)
  expect(account({ sub: 'a b|c' }).agent).toBe(odd)
  expect(account({ sub: 'a b|d' }).agent).not.toBe(odd)
  const elsewhere = toAccount(
    { sub: 'a b|c' },
    { ...PROVIDER, issuer: 'https://x', userClaim: undefined },
  )
  expect(elsewhere.agent).not.toBe(odd)
})

it.each([{}, { sub: '' }, { sub: 7 }])('is nobody without a name: %j', (claims) => {
  expect(() => account(claims)).toThrow('says nothing in the claim "sub"')
  expect(() => account({ ...claims, sub: 'u-1' }, 'upn')).toThrow('"upn"')
})
