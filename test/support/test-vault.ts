import { describe, expect, it, vi } from 'vitest'
import type { Vault } from '../../src/identity/vault/vault.ts'

interface Counter {
  count: number
  note: string
}

export interface VaultUnderTest {
  /** Opens one vault as two processes. */
  readonly open: () => Promise<readonly [Vault, Vault]>
}

/** Tests that every vault must pass, wherever its records are stored. */
export function testVault(where: string, { open }: VaultUnderTest): void {
  describe(`the vault in ${where}`, () => {
    it('keeps what was put there, until it is taken away', async () => {
      const [vault] = await open()
      const record = vault.record<Counter>('sign-in.a.b')
      expect(await record.read()).toEqual({})
      await record.update({ count: 1, note: 'x' })
      await record.update({ note: undefined })
      expect(await record.read()).toEqual({ count: 1 })
      expect(await vault.record<Counter>('sign-in.a.c').read()).toEqual({})
      await record.remove()
      expect(await record.read()).toEqual({})
    })

    it('shows everybody what one of them changed', async () => {
      const [vault, other] = await open()
      const [mine, theirs] = [vault, other].map((one) => one.record<Counter>('sign-in.a.b'))
      expect(await theirs?.read()).toEqual({})
      await mine?.update({ count: 1 })
      const wait = { timeout: 20_000 }
      await vi.waitFor(async () => expect(await theirs?.read()).toEqual({ count: 1 }), wait)
      await mine?.remove()
      await vi.waitFor(async () => expect(await theirs?.read()).toEqual({}), wait)
    })

    it('lists names by how they begin', async () => {
      const [vault, other] = await open()
      for (const name of ['sign-in.a.b', 'sign-in.a.c', 'client.a'])
        await vault.record<Counter>(name).update({ count: 1 })
      expect(await other.names('sign-in.')).toEqual(['sign-in.a.b', 'sign-in.a.c'])
      expect(await other.names('client.')).toEqual(['client.a'])
    })

    it('lets one at a time renew a record, who sees what the one before has done', async () => {
      const [vault, other] = await open()
      await vault.record<Counter>('sign-in.a.b').update({ count: 0 })
      let running = 0
      const renew = async (by: Vault) => {
        const record = by.record<Counter>('sign-in.a.b')
        return record.exclusively(async () => {
          expect(++running).toBe(1)
          const { count = 0 } = await record.read()
          await new Promise((resolve) => setTimeout(resolve, 20))
          await record.update({ count: count + 1 })
          running--
        })
      }
      await Promise.all([renew(vault), renew(other), renew(vault), renew(other)])
      await vi.waitFor(async () =>
        expect(await other.record<Counter>('sign-in.a.b').read()).toEqual({ count: 4 }),
      )
    })

    it('lets many renew different records at once', async () => {
      const [vault] = await open()
      const names = Array.from({ length: 12 }, (_, index) => `sign-in.many.${index}`)
      await Promise.all(
        names.map(async (name) => {
          const record = vault.record<Counter>(name)
          await record.exclusively(async () => record.update({ count: 1 }))
        }),
      )
      expect(await vault.names('sign-in.many.')).toHaveLength(12)
    })
  })
}
