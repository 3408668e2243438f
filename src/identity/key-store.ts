import type { Role } from '../gateway/call.ts'

/** An API key as stored: everything except the secret. */
export interface Key {
  readonly id: string
  readonly agent: string
  /** `agent` if absent, which may call tools but not use the dashboard. */
  readonly role?: Role | undefined
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt?: number | undefined
  readonly revokedAt?: number | undefined
}

type KeyOptions = Pick<Key, 'expiresAt' | 'role'>

interface NewKey {
  readonly key: Key
  /** Shown once; it cannot be recovered from what is stored. */
  readonly secret: string
}

/** Stores API keys: in a file by default, or in a database if several gateways share them. */
export interface KeyStore {
  /** Finds the key with this secret, valid or not. Called for every request with a key. */
  find(secret: string): Key | undefined | Promise<Key | undefined>
  /** Finds the key with this id, valid or not. Called for every request with a handle. */
  byId(id: string): Key | undefined | Promise<Key | undefined>
  create(agent: string, options?: KeyOptions): Promise<NewKey>
  list(): Promise<readonly Key[]>
  /** Returns the revoked key, or undefined if there is none with this id. */
  revoke(id: string): Promise<Key | undefined>
}

/** The prefix of our API keys, so that scanners and people recognise them. */
export const KEY_PREFIX = 'ptk_'

/** Whether the key is neither revoked nor expired. */
export function isGoodKey({ revokedAt, expiresAt }: Key): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > Date.now())
}
