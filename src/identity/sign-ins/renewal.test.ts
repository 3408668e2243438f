import { expect, it, onTestFinished, vi } from 'vitest'
import { signInsTo } from '../../../test/support/sign-in/sign-ins-to.ts'

it('calls that wait for the same renewal share its failure, and do not queue up to repeat it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { idp, arrive, forms } = await signInsTo()
  const ada = await arrive('ada')
  idp.manners.refresh = 'fail'
  vi.setSystemTime(Date.now() + 3_570_000)
  const headers = await Promise.all(Array.from({ length: 5 }, async () => ada.header()))
  expect(headers, 'the old token is still good').toEqual(Array(5).fill('Bearer access-1'))
  expect(forms('refresh_token')).toHaveLength(1)
  idp.manners.refresh = 'renew'
  expect(await ada.header(), 'the next call tries again').toBe('Bearer access-2')
})
