import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Role } from '../../../gateway/call.ts'
import {
  type UserRow,
  deleteUser,
  findUser,
  listUsers,
  putUser,
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

/** A user with the ids of now: whoever gets the same name later has others. */
export interface KnownUser extends User {
  /** What they own is theirs by this id; absent for a user whom an earlier version made. */
  readonly id?: string | undefined
  /** The account of their sign-ins; absent until an earlier version's user gets a new password. */
  readonly accountId?: string | undefined
}

export interface Users {
  list(): Promise<readonly User[]>
  find(name: string): Promise<KnownUser | undefined>
  /** Returns the user if the password is right. Takes as long for an unknown name. */
  check(name: string, password: string): Promise<KnownUser | undefined>
  /** Creates a user, or sets a new password, which ends everything that they are signed in to. */
  save(user: Omit<User, 'createdAt'>, password: string): Promise<void>
  /** Ends everything that they are signed in to; returns whether there was one. */
  remove(name: string): Promise<boolean>
}

const derive = promisify<string, Buffer, number, Buffer>(scrypt)
const HASH_BYTES = 32

export function createUsers(storage: Pick<Storage, 'db' | 'engine'>): Users {
  const { db } = storage
  return {
    list: async () => (await listUsers(db)).map(toUser),
    async find(name) {
      const row = await findUser(db, name)
      return row && toKnownUser(row)
    },
    async check(name, password) {
      const row = await findUser(db, name)
      const matches = await isPassword(password, row?.password_hash ?? UNKNOWN_USER_HASH)
      return row && matches ? toKnownUser(row) : undefined
    },
    async save({ name, groups, role }, password) {
      await putUser(db, {
        name,
        id: freshId(),
        account_id: freshId(),
        password_hash: await hashPassword(password),
        groups_json: JSON.stringify(groups),
        role,
        created_at: Date.now(),
      })
      await announceSignInChange(storage)
    },
    async remove(name) {
      const wasThere = await deleteUser(db, name)
      await announceSignInChange(storage)
      return wasThere
    },
  }
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
