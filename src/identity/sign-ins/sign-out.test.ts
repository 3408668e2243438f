import { expect, it, onTestFinished, vi } from 'vitest'
import { deferred } from '../../../test/support/deferred.ts'
import { signInsTo } from '../../../test/support/sign-in/sign-ins-to.ts'
import type { Change } from '../vault/vault.ts'

it('a sign-out during a renewal leaves nobody signed in', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { arrive, aProcess, aVault, of, forms } = await signInsTo()
  await arrive('ada')
  vi.setSystemTime(Date.now() + 3_600_000)
  const vault = aVault()
  const stored = deferred<void>()
  const slowly = aProcess({
    record<Value extends object>(name: string) {
      const record = vault.record<Value>(name)
      return {
        ...record,
        async update(change: Change<Value>) {
          await stored.promise
          await record.update(change)
        },
      }
    },
    names: async (prefix) => vault.names(prefix),
  })
  const ada = of('ada', slowly)
  const renewed = ada.header()
  await expect.poll(() => forms('refresh_token')).toHaveLength(1)
  const out = ada.signOut()
  await new Promise((resolve) => setTimeout(resolve, 100))
  stored.resolve()
  await Promise.all([renewed, out])
  expect(await ada.header()).toBeUndefined()
  expect(await vault.names('sign-in.')).toEqual([])
})
