import { KEEP_UNUSED_MS, type NamesStore, sourceKey } from '../../gateway/names/names-store.ts'
import type { Listening } from '../../storage/engines/listen-postgres.ts'
import { notify } from '../../storage/notices.ts'
import { dropNamesBefore, findNames, replaceNames } from '../../storage/shared/given-names.ts'
import type { Storage } from '../../storage/storage.ts'
import { isUnreachable } from './unreachable.ts'

export interface DatabaseNamesOptions {
  readonly storage: Storage
  readonly listening: Pick<Listening, 'on'>
  /** Where the configuration with these names comes from. */
  readonly source: string
}

/** Names that all replicas with the same configuration share. */
export function createDatabaseNames({
  storage,
  listening,
  source,
}: DatabaseNamesOptions): NamesStore {
  const key = sourceKey(source)
  return {
    place: 'PostgreSQL',
    read: async () =>
      whileReachable(async () => (await findNames(storage.db, key)) ?? '', undefined),
    replace: async (before, after) =>
      whileReachable(
        async () =>
          storage.transaction(async (tx) => {
            await dropNamesBefore(tx, Date.now() - KEEP_UNUSED_MS)
            const isReplaced = await replaceNames(tx, key, { before, after })
            if (isReplaced) await notify(tx, storage.engine, 'names', key)
            return isReplaced
          }),
        false,
      ),
    onChange: (listener) =>
      listening.on('names', (detail) => {
        if (detail === undefined || detail === key) listener()
      }),
  }
}

async function whileReachable<Value, Otherwise>(
  query: () => Promise<Value>,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  try {
    return await query()
  } catch (error) {
    if (isUnreachable(error)) return otherwise
    throw error
  }
}
