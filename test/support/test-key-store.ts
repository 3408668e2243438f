import { describe, expect, it, vi } from 'vitest'
import type { KeyStore } from '../../src/identity/key-store.ts'

export interface KeyStoreUnderTest {
  /** Opens the stores of two processes, which see each other's keys. */
  readonly open: () => Promise<readonly [KeyStore, KeyStore]>
}

/** Tests that every key store must pass, wherever the keys are stored. */
export function testKeyStore(where: string, { open }: KeyStoreUnderTest): void {
  describe(`keys in ${where}`, () => {
    it('finds a key by its secret, and by nothing near it', async () => {
      const [store] = await open()
      const { key, secret } = await store.create('ada')
      expect(await store.find(secret)).toMatchObject({ id: key.id, agent: 'ada' })
      const near = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`
      expect(await store.find(near)).toBeUndefined()
      expect(await store.find(secret)).toMatchObject({ id: key.id })
      expect(await store.find('ptk_')).toBeUndefined()
      expect(await store.find('')).toBeUndefined()
    })

    it('finds a key by its id', async () => {
      const [store, other] = await open()
      const { key } = await store.create('ada')
      expect(await other.byId(key.id)).toMatchObject({ id: key.id, agent: 'ada' })
      expect(await other.byId('nope')).toBeUndefined()
    })

    it('answers at once, without a promise, for a key that is in use', async () => {
      const [store] = await open()
      const { secret } = await store.create('ada')
      // The notice of its own creation may not have arrived yet.
      await vi.waitFor(async () => {
        await store.find(secret)
        const found = store.find(secret)
        await found
        expect(found).not.toBeInstanceOf(Promise)
      })
      expect(store.find(secret)).toMatchObject({ agent: 'ada' })
    })

    it('stops a key within a second when another process revokes it', async () => {
      const [serving, other] = await open()
      const { key, secret } = await serving.create('ada')
      expect(await serving.find(secret)).not.toHaveProperty('revokedAt', expect.any(Number))
      const revoked = await other.revoke(key.id)
      await vi.waitFor(
        async () =>
          expect(await serving.find(secret)).toMatchObject({ revokedAt: revoked?.revokedAt }),
        { timeout: 1_000, interval: 10 },
      )
      expect(await serving.byId(key.id)).toMatchObject({ revokedAt: revoked?.revokedAt })
    })

    it('knows a key that another process has made since it was first asked for', async () => {
      const [serving, other] = await open()
      const { key, secret } = await other.create('ada', { expiresAt: 2_000_000_000_000 })
      expect(await serving.find(secret)).toMatchObject({ id: key.id, expiresAt: 2_000_000_000_000 })
    })

    it('lists keys without their hashes, and revokes only what it knows', async () => {
      const [store] = await open()
      const { key } = await store.create('ada', { expiresAt: 2_000_000_000_000 })
      expect(await store.list()).toEqual([{ ...key, revokedAt: undefined }])
      expect(await store.revoke('nope')).toBeUndefined()
    })

    it('knows what a key may do beside calling tools', async () => {
      const [store, other] = await open()
      const { secret } = await store.create('ada', { role: 'admin' })
      const plain = await store.create('bob', { role: 'agent' })
      expect(await other.find(secret)).toMatchObject({ role: 'admin' })
      expect(await other.find(plain.secret)).not.toHaveProperty('role')
    })

    it('keeps the moment of the first revocation', async () => {
      const [store] = await open()
      const { key } = await store.create('ada')
      const first = await store.revoke(key.id)
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(await store.revoke(key.id)).toEqual(first)
    })
  })
}
