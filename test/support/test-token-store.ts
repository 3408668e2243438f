import { describe, expect, it, vi } from 'vitest'
import type { TokenStore } from '../../src/upstreams/oauth/token-store.ts'

const tokens = (access_token: string) => ({ access_token, token_type: 'Bearer' })

export interface TokenStoreUnderTest {
  /** Stores of one server's sign-in, as two processes open them. */
  readonly open: () => Promise<readonly [TokenStore, TokenStore]>
}

/** What every store of sign-ins must do, wherever it keeps them. */
export function testTokenStore(where: string, { open }: TokenStoreUnderTest): void {
  describe(`sign-ins in ${where}`, () => {
    it('keep what was put there, until it is taken away', async () => {
      const [store] = await open()
      expect(await store.read()).toEqual({})
      await store.update({ tokens: tokens('a'), verifier: 'v' })
      await store.update({ verifier: undefined })
      expect(await store.read()).toEqual({ tokens: tokens('a') })
    })

    it('are seen by whoever opens them later', async () => {
      const [store, other] = await open()
      await store.update({ tokens: tokens('a') })
      await vi.waitFor(async () => expect(await other.read()).toEqual({ tokens: tokens('a') }))
    })

    it('let one at a time renew them, who sees what the one before has done', async () => {
      const [store, other] = await open()
      await store.update({ tokens: tokens('0') })
      let running = 0
      const renew = async (by: TokenStore) =>
        by.exclusively(async () => {
          expect(++running).toBe(1)
          const { tokens: now } = await by.read()
          await new Promise((resolve) => setTimeout(resolve, 20))
          await by.update({ tokens: tokens(String(Number(now?.access_token) + 1)) })
          running--
        })
      await Promise.all([renew(store), renew(store)])
      await renew(other)
      expect(await other.read()).toEqual({ tokens: tokens('3') })
    })
  })
}
