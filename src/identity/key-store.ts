import type { Role } from '../gateway/call.ts'

/** An API key as it is kept: everything but the secret. */
export interface Key {
  readonly id: string
  readonly agent: string
  /** `agent` when absent: good for calling tools, and for nothing of the dashboard. */
  readonly role?: Role | undefined
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt?: number | undefined
  readonly revokedAt?: number | undefined
}

export type KeyOptions = Pick<Key, 'expiresAt' | 'role'>

export interface NewKey {
  readonly key: Key
  /** Shown once: nothing that is kept leads back to it. */
  readonly secret: string
}

/** Where API keys live: a file by default, a database where several gateways share them. */
export interface KeyStore {
  /** The key with this secret, whether or not it is still good. Asked on every call that brings one. */
  find(secret: string): Key | undefined | Promise<Key | undefined>
  /** The key with this id, whether or not it is still good. Asked on every call by a handle. */
  byId(id: string): Key | undefined | Promise<Key | undefined>
  create(agent: string, options?: KeyOptions): Promise<NewKey>
  list(): Promise<readonly Key[]>
  /** The revoked key, or undefined when there is none with this id. */
  revoke(id: string): Promise<Key | undefined>
}

/** How our API keys begin, so that scanners and people recognise them. */
export const KEY_PREFIX = 'ptk_'

/** Neither revoked nor expired. */
export function isGoodKey({ revokedAt, expiresAt }: Key): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > Date.now())
}
