import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { KEY_PREFIX } from './key-store.ts'

const ID_BYTES = 6
const SECRET = new RegExp(`^${KEY_PREFIX}([0-9a-f]{${ID_BYTES * 2}})_[\\w-]{43}$`)

/**
 * Creates a secret of 256 random bits. A plain SHA-256 of it cannot be reversed by guessing, and
 * takes a microsecond, while scrypt would take as long as a call.
 */
export function createKeySecret(): { id: string; secret: string; sha256: string } {
  const id = randomBytes(ID_BYTES).toString('hex')
  const secret = `${KEY_PREFIX}${id}_${randomBytes(32).toString('base64url')}`
  return { id, secret, sha256: hash(secret).toString('hex') }
}

/** Returns the id of the key that a secret would belong to; undefined if it is not ours. */
export function keyIdOf(secret: string): string | undefined {
  return SECRET.exec(secret)?.[1]
}

export function isSecretOf(secret: string, sha256: string): boolean {
  return timingSafeEqual(hash(secret), Buffer.from(sha256, 'hex'))
}

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
