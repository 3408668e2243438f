import type { Vault, VaultRecord } from './vault/vault.ts'
import { digest } from './sign-ins/stored.ts'

interface StoredKeys {
  person: string
  values: Readonly<Record<string, string>>
  changedAt: number
}

/** The keys of people for servers without sign-in, which entries refer to as `${user.NAME}`. */
export interface UserKeys {
  of(person: string): Promise<Readonly<Record<string, string>>>
  /** Returns a number that changes with the keys of the person. */
  version(person: string): Promise<number>
  set(person: string, name: string, value: string): Promise<void>
  /** Returns whether there was one. */
  remove(person: string, name: string): Promise<boolean>
}

export function createUserKeys(
  vault: Vault,
  learn: (secrets: readonly string[]) => void,
): UserKeys {
  const recordOf = (person: string): VaultRecord<StoredKeys> =>
    vault.record(`user.${digest(person)}`)

  async function change(
    person: string,
    edit: (values: Readonly<Record<string, string>>) => Record<string, string>,
  ): Promise<void> {
    const record = recordOf(person)
    await record.exclusively(async () => {
      const { values = {} } = await record.read()
      await record.update({ person, values: edit(values), changedAt: Date.now() })
    })
  }

  return {
    async of(person) {
      const { values = {} } = await recordOf(person).read()
      learn(Object.values(values))
      return values
    },
    async version(person) {
      return (await recordOf(person).read()).changedAt ?? 0
    },
    async set(person, name, value) {
      learn([value])
      await change(person, (values) => ({ ...values, [name]: value }))
    },
    async remove(person, name) {
      const { values = {} } = await recordOf(person).read()
      if (!(name in values)) return false
      await change(person, (known) =>
        Object.fromEntries(Object.entries(known).filter(([key]) => key !== name)),
      )
      return true
    },
  }
}
