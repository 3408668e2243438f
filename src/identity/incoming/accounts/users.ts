import { createHash, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Role } from '../../../gateway/call.ts'
import {
  type UserRow,
  deleteUser,
  findUser,
  listUsers,
  putUser,
  updateUser,
} from '../../../storage/sign-in/users.ts'
import type { Storage } from '../../../storage/storage.ts'
import { isSame } from '../../../base/secrets/is-same.ts'
import { toRole } from '../../role.ts'
import { announceSignInChange } from '../sign-in-changes.ts'

/** A person who signs in with a password stored here. */
export interface User {
  readonly name: string
  readonly groups: readonly string[]
  readonly role: Role
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** `invited`: has a link to choose a password; `disabled`: can neither sign in nor choose one. */
export type UserState = 'active' | 'invited' | 'disabled'

type UserRights = Pick<User, 'name' | 'groups' | 'role'>

export interface Invitation {
  /** The secret of the link, which works until a password is chosen. */
  readonly code: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** A user with the ids of now: whoever gets the same name later has others. */
export interface KnownUser extends User {
  /** What they own is theirs by this id; absent for a user whom an earlier version made. */
  readonly id?: string | undefined
  /** The account of their sign-ins; absent until an earlier version's user gets a new password. */
  readonly accountId?: string | undefined
}

export interface Users {
  list(): Promise<readonly (User & { readonly state: UserState })[]>
  find(name: string): Promise<KnownUser | undefined>
  /** Returns the user if the password is right. Takes as long for an unknown name. */
  check(name: string, password: string): Promise<KnownUser | undefined>
  /** Creates a user, or sets a new password, which ends everything that they are signed in to. */
  save(user: UserRights, password: string): Promise<void>
  /**
   * Creates a user without a password, or takes away the one that they have, which ends everything
   * that they are signed in to. Earlier invitations of theirs end too.
   */
  invite(user: UserRights): Promise<Invitation>
  /** Returns the name of the user who is invited by a code. */
  invited(code: string): Promise<string | undefined>
  /** Sets the first password of a user; undefined if the invitation has been used or has ended. */
  accept(code: string, password: string): Promise<KnownUser | undefined>
  /** Changes groups and role, which applies to what they are signed in to; false if there is none. */
  change(user: UserRights): Promise<boolean>
  /** Ends everything that they are signed in to, and their password, until they are invited again. */
  disable(name: string): Promise<boolean>
  /** Ends everything that they are signed in to; returns whether there was one. */
  remove(name: string): Promise<boolean>
}

const derive = promisify<string, Buffer, number, Buffer>(scrypt)
const HASH_BYTES = 32
export const MIN_PASSWORD_LENGTH = 12
const INVITED_MS = 7 * 86_400_000
const DISABLED = 'disabled'

/** `announce` is called after each change, for what knows who is signed in. */
export function createUsers(
  storage: Pick<Storage, 'db' | 'engine'>,
  announce: (storage: Pick<Storage, 'db' | 'engine'>) => Promise<void> = announceSignInChange,
): Users {
  const { db } = storage

  async function put({ name, groups, role }: UserRights, passwordHash: string): Promise<void> {
    await putUser(db, {
      name,
      id: freshId(),
      account_id: freshId(),
      password_hash: passwordHash,
      groups_json: JSON.stringify(groups),
      role,
      created_at: Date.now(),
    })
    await announce(storage)
  }

  async function rowOf(code: string): Promise<UserRow | undefined> {
    const [name = '', secret = ''] = code.split('.')
    const row = await findUser(db, Buffer.from(name, 'base64url').toString())
    const [kind, digest = '', expiresAt] = row?.password_hash.split(':') ?? []
    const isGood = kind === 'invited' && Number(expiresAt) > Date.now()
    return isGood && isSame(Buffer.from(digestOf(secret)), Buffer.from(digest)) ? row : undefined
  }

  return {
    list: async () => (await listUsers(db)).map((row) => ({ ...toUser(row), state: stateOf(row) })),
    async find(name) {
      const row = await findUser(db, name)
      return row && toKnownUser(row)
    },
    async check(name, password) {
      const row = await findUser(db, name)
      const active = row && stateOf(row) === 'active' ? row : undefined
      const matches = await isPassword(password, active?.password_hash ?? UNKNOWN_USER_HASH)
      return active && matches ? toKnownUser(active) : undefined
    },
    save: async (user, password) => put(user, await hashPassword(password)),
    async invite(user) {
      const secret = randomBytes(24).toString('base64url')
      const expiresAt = Date.now() + INVITED_MS
      await put(user, `invited:${digestOf(secret)}:${expiresAt}`)
      return { code: `${Buffer.from(user.name).toString('base64url')}.${secret}`, expiresAt }
    },
    invited: async (code) => (await rowOf(code))?.name,
    async accept(code, password) {
      const row = await rowOf(code)
      if (!row) return undefined
      const { name, password_hash: passwordHash } = row
      const isFirst = await updateUser(
        db,
        { name, passwordHash },
        { account_id: freshId(), password_hash: await hashPassword(password) },
      )
      await announce(storage)
      const user = isFirst ? await findUser(db, name) : undefined
      return user && toKnownUser(user)
    },
    async change({ name, groups, role }) {
      const wasThere = await updateUser(db, { name }, { groups_json: JSON.stringify(groups), role })
      await announce(storage)
      return wasThere
    },
    async disable(name) {
      const wasThere = await updateUser(
        db,
        { name },
        { account_id: freshId(), password_hash: DISABLED },
      )
      await announce(storage)
      return wasThere
    },
    async remove(name) {
      const wasThere = await deleteUser(db, name)
      await announce(storage)
      return wasThere
    },
  }
}

function stateOf({ password_hash: hash }: UserRow): UserState {
  if (hash === DISABLED) return 'disabled'
  return hash.startsWith('invited:') ? 'invited' : 'active'
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

function toUser({ name, groups_json, role, created_at }: UserRow): User {
  const groups: string[] = JSON.parse(groups_json)
  return { name, groups, role: toRole(role), createdAt: created_at }
}

function toKnownUser(row: UserRow): KnownUser {
  const { id, account_id: accountId } = row
  return { ...toUser(row), ...(id && { id }), ...(accountId && { accountId }) }
}

function freshId(): string {
  return randomBytes(16).toString('base64url')
}

async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, HASH_BYTES)
  return `scrypt:${salt.toString('base64url')}:${hash.toString('base64url')}`
}

const UNKNOWN_USER_HASH = `scrypt:${Buffer.alloc(16).toString('base64url')}:${Buffer.alloc(HASH_BYTES).toString('base64url')}`

async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, salt = '', hash = ''] = stored.split(':')
  const expected = Buffer.from(hash, 'base64url')
  const given = await derive(password, Buffer.from(salt, 'base64url'), HASH_BYTES)
  return isSame(given, expected)
}
