import type { Listening } from '../../storage/engines/listen-postgres.ts'
import { notify } from '../../storage/notices.ts'
import { lockName } from '../../storage/shared/locks.ts'
import {
  readSecret,
  removeSecret,
  replaceSecret,
  secretNames,
  writeSecret,
} from '../../storage/shared/secrets.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Seal } from '../../identity/vault/seal.ts'
import { type Vault, type VaultRecord, withChange } from '../../identity/vault/vault.ts'
import type { Soon } from '../../base/flow/soon.ts'
import { Semaphore } from '../../base/flow/semaphore.ts'
import { readable } from './unreachable.ts'

export interface DatabaseVaultOptions {
  readonly storage: Storage
  readonly listening: Pick<Listening, 'on' | 'state'>
  readonly seal: Seal
}

/** Separates vault records from other secrets of the database. */
const PREFIX = 'vault:'
/** How long a record is used before it is read again, in case the notice of a change is lost. */
const LOOK_AGAIN_MS = 30_000
/**
 * An exclusive operation holds one connection of the pool and needs another to read and write: with
 * too many at once, all could wait for each other.
 */
const AT_ONCE = 2
/** The most records in memory; the least recently used are read again. */
const MAX_KNOWN = 5_000

/** The name of a record among the secrets of the database. */
export function vaultRow(name: string): string {
  return `${PREFIX}${name}`
}

/** One vault for all replicas, sealed if they have a key. */
export function createDatabaseVault(options: DatabaseVaultOptions): Vault {
  const { storage, listening } = options
  const turns = new Semaphore(AT_ONCE)
  const records = new Map<string, VaultRecord<object> & { forget(): void }>()
  listening.on('secrets', (changed) => {
    if (changed === undefined) for (const record of records.values()) record.forget()
    else records.get(changed)?.forget()
  })
  return {
    record<Value extends object>(given: string): VaultRecord<Value> {
      const name = vaultRow(given)
      const known = records.get(name) ?? createRecord(name, options, turns)
      records.delete(name)
      records.set(name, known)
      if (records.size > MAX_KNOWN) records.delete(records.keys().next().value ?? '')
      return known
    },
    async names(prefix) {
      const names = await readable(async () => secretNames(storage.db, vaultRow(prefix)))
      return names.map((name) => name.slice(PREFIX.length))
    },
  }
}

function createRecord(
  name: string,
  { storage, listening, seal }: DatabaseVaultOptions,
  turns: Semaphore,
): VaultRecord<object> & { forget(): void } {
  let known: { value: object; at: number } | undefined

  function read(): Soon<object> {
    if (known && Date.now() - known.at < LOOK_AGAIN_MS) return known.value
    if (known && listening.state.kind === 'down') return known.value
    return readAgain()
  }

  async function readAgain(): Promise<object> {
    const at = Date.now()
    const text = await readable(async () => readSecret(storage.db, name))
    const opened = text === undefined ? '{}' : seal.open(text, name)
    // Reading must not undo what another replica writes meanwhile, nor restore what it removes.
    if (text !== undefined && seal.isStale(text, name))
      await readable(async () => replaceSecret(storage.db, name, text, seal.close(opened, name)))
    const value: object = JSON.parse(opened)
    known = { value, at }
    return value
  }

  async function write(value: object): Promise<void> {
    await changed(async (db) => writeSecret(db, name, seal.close(JSON.stringify(value), name)))
    known = { value, at: Date.now() }
  }

  async function changed(change: (db: Storage['db']) => Promise<void>): Promise<void> {
    await readable(async () =>
      storage.transaction(async (tx) => {
        await change(tx)
        await notify(tx, storage.engine, 'secrets', name)
      }),
    )
  }

  return {
    read,
    forget: () => (known = undefined),
    async update(change) {
      known = undefined
      await write(withChange(await read(), change))
    },
    async remove() {
      await changed(async (db) => removeSecret(db, name))
      known = undefined
    },
    async exclusively(work) {
      const ended = await turns.run(async () =>
        readable(async () =>
          storage.db.transaction().execute(async (tx) => {
            await lockName(tx, name)
            known = undefined
            // A server that cannot be reached fails in the same way as the database.
            return work().then(
              (result) => ({ result }),
              (error: unknown) => ({ error }),
            )
          }),
        ),
      )
      if ('error' in ended) throw ended.error
      return ended.result
    },
  }
}
