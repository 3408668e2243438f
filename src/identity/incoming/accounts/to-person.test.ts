import { expect, it } from 'vitest'
import { toPerson } from './to-person.ts'

it('takes the groups from the claim that holds them, and leaves out what is about the token', () => {
  const claims = { sub: 'u1', groups: ['a', 'b', 7, ''], department: 'it', exp: 1, aud: 'x' }
  expect(toPerson('ada', claims)).toEqual({
    user: 'ada',
    groups: ['a', 'b'],
    claims: { sub: 'u1', groups: ['a', 'b', 7, ''], department: 'it' },
  })
})

it.each([
  ['realm_access.roles', { realm_access: { roles: ['dev'] } }, ['dev']],
  ['https://x.example/groups', { 'https://x.example/groups': 'one' }, ['one']],
  ['cognito.groups', { cognito: { groups: { not: 'a list' } } }, []],
  ['constructor.name', {}, []],
])('finds groups at %s', (claim, claims, groups) => {
  expect(toPerson('ada', claims, claim).groups).toEqual(groups)
})
