import { expect, it } from 'vitest'
import { isUserKey, userKeysIn, withUserKeys } from './user-keys.ts'

it('a key of the person who calls is named with a name of a variable', () => {
  expect(['user.TOKEN', 'user._t1'].map(isUserKey)).toEqual([true, true])
  const others = ['user.', 'user.1', 'user.A-B', 'xuser.A', 'TOKEN', 'user.A.b', 'user_A']
  expect(others.filter(isUserKey)).toEqual([])
})

it('finds each key that texts refer to once', () => {
  expect(
    userKeysIn({ A: 'Bearer ${user.ONE}', B: '${user.TWO}:${user.ONE}', C: '${HOME} $user.X' }),
  ).toEqual(['ONE', 'TWO'])
  expect(userKeysIn()).toEqual([])
})

it('puts the keys of one person in, and leaves what that person has not as it stands', () => {
  const texts = { A: 'Bearer ${user.ONE}', B: '${user.TWO}-${user.ONE}', C: 'plain' }
  expect(withUserKeys(texts, { ONE: '$& k1' })).toEqual({
    A: 'Bearer $& k1',
    B: '${user.TWO}-$& k1',
    C: 'plain',
  })
  expect(withUserKeys(texts, { ONE: 'k2', TWO: 'k3' })).toMatchObject({ B: 'k3-k2' })
})
