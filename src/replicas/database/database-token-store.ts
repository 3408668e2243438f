import type { Listening } from '../../storage/engines/listen-postgres.ts'
import { notify } from '../../storage/notices.ts'
import { lockName } from '../../storage/shared/locks.ts'
import { readSecret, writeSecret } from '../../storage/shared/secrets.ts'
import type { Storage } from '../../storage/storage.ts'
import {
  type StoredSignIn,
  type TokenStore,
  tokenFileName,
  withChange,
} from '../../upstreams/oauth/token-store.ts'
import { signInName } from './sign-in-name.ts'
import type { Seal } from './seal.ts'
import { readable } from './unreachable.ts'

export interface DatabaseTokenStoreOptions {
  readonly storage: Storage
  readonly listening: Listening
  readonly seal: Seal
  readonly url: string
}

/** How long a sign-in is believed without looking, should the notice of its change be lost. */
const LOOK_AGAIN_MS = 30_000

/** One sign-in for all replicas, sealed where they have a key for it. */
export function createDatabaseTokenStore(options: DatabaseTokenStoreOptions): TokenStore {
  const { storage, listening, seal, url } = options
  const name = signInName(tokenFileName(url))
  let known: { kept: StoredSignIn; at: number } | undefined

  listening.on('secrets', (changed) => {
    if (changed === undefined || changed === name) known = undefined
  })

  async function read(): Promise<StoredSignIn> {
    if (known && Date.now() - known.at < LOOK_AGAIN_MS) return known.kept
    if (known && listening.state.kind === 'down') return known.kept
    const at = Date.now()
    const text = await readable(async () => readSecret(storage.db, name))
    const kept: StoredSignIn = text === undefined ? {} : JSON.parse(seal.open(text))
    known = { kept, at }
    return kept
  }

  return {
    read,
    async update(change) {
      const kept = withChange(await read(), change)
      await readable(async () =>
        storage.transaction(async (tx) => {
          await writeSecret(tx, name, seal.close(JSON.stringify(kept)))
          await notify(tx, storage.engine, 'secrets', name)
        }),
      )
      known = { kept, at: Date.now() }
    },
    async exclusively(work) {
      return readable(async () =>
        storage.db.transaction().execute(async (tx) => {
          await lockName(tx, name)
          known = undefined
          return work()
        }),
      )
    },
  }
}
