import { expect, it, vi } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createUserKeys } from './user-keys.ts'
import { openVault } from './vault/open-vault.ts'

function someKeys() {
  const home = tempFolder().path
  const learnt: string[] = []
  const open = () =>
    createUserKeys(openVault(home, { PORTOLAN_KEYRING: 'off' }), (secrets) => {
      learnt.push(...secrets)
    })
  return { keys: open(), again: open, learnt }
}

it('keeps the keys of each person apart, and after a restart', async () => {
  const { keys, again } = someKeys()
  await keys.set('ada', 'MAIL', 'mail-of-ada')
  await keys.set('ada', 'CRM', 'crm-of-ada')
  await keys.set('bob', 'MAIL', 'mail-of-bob')
  expect(await keys.of('ada')).toEqual({ MAIL: 'mail-of-ada', CRM: 'crm-of-ada' })
  expect(await again().of('bob')).toEqual({ MAIL: 'mail-of-bob' })
  expect(await keys.of('eve')).toEqual({})
})

it('removes one, and says whether there was one', async () => {
  const { keys } = someKeys()
  await keys.set('ada', 'MAIL', 'mail-of-ada')
  await keys.set('ada', 'CRM', 'crm-of-ada')
  expect([await keys.remove('ada', 'MAIL'), await keys.remove('ada', 'MAIL')]).toEqual([
    true,
    false,
  ])
  expect([await keys.remove('bob', 'CRM'), await keys.of('ada')]).toEqual([
    false,
    { CRM: 'crm-of-ada' },
  ])
})

it('has another version after each change, for that person alone', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
  try {
    const { keys } = someKeys()
    expect(await keys.version('ada')).toBe(0)
    await keys.set('ada', 'MAIL', 'one')
    expect(await keys.version('ada')).toBe(1_000_000)
    vi.setSystemTime(2_000_000)
    await keys.remove('ada', 'MAIL')
    expect([await keys.version('ada'), await keys.version('bob')]).toEqual([2_000_000, 0])
  } finally {
    vi.useRealTimers()
  }
})

it('tells every key that it sees, so that none is ever shown', async () => {
  const { keys, again, learnt } = someKeys()
  await keys.set('ada', 'MAIL', 'mail-of-ada')
  expect(learnt).toEqual(['mail-of-ada'])
  await again().of('ada')
  expect(learnt).toEqual(['mail-of-ada', 'mail-of-ada'])
})
