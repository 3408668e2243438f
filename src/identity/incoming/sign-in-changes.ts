import type { Storage } from '../../storage/storage.ts'

/** Notifies processes that share a database when a sign-in, a session or a person changes. */
export interface SignInChanges {
  on(listener: () => void): () => void
  /** Whether notices of changes by other processes arrive at once. */
  readonly isLive: boolean
}

export interface OwnChanges extends SignInChanges {
  /** Notifies this process at once, and the others through the database. */
  announce(storage: Pick<Storage, 'db' | 'engine'>): Promise<void>
}

/** `remote` is absent if there are no other replicas. */
export function createSignInChanges(remote: SignInChanges | undefined): OwnChanges {
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  remote?.on(notify)
  return {
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    get isLive() {
      return remote?.isLive ?? true
    },
    async announce(storage) {
      notify()
      await announceSignInChange(storage)
    },
  }
}

export async function announceSignInChange({
  db,
  engine,
}: Pick<Storage, 'db' | 'engine'>): Promise<void> {
  // Load the database library only if there is a database.
  const { notify } = await import('../../storage/notices.ts')
  await notify(db, engine, 'sign-ins', '')
}
