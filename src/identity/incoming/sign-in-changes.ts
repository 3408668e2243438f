import type { Storage } from '../../storage/storage.ts'

/** Notifies every process with the same database that a sign-in, a session or a person has changed. */
export interface SignInChanges {
  on(listener: () => void): () => void
  /** Whether notices of changes by other processes arrive at once. */
  readonly isLive: boolean
}

export interface OwnChanges extends SignInChanges {
  /** Notifies this process at once, and the others through the database. */
  announce(storage: Pick<Storage, 'db' | 'engine'>): Promise<void>
}

/** `remote` is absent where one process serves by itself: there are no other replicas. */
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
  // The library of the database is loaded only where there is one.
  const { notify } = await import('../../storage/notices.ts')
  await notify(db, engine, 'sign-ins', '')
}
