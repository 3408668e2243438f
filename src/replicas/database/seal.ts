import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { GatewayError } from '../../gateway/errors.ts'

/** Keeps secrets unreadable to whoever has only the database, or a copy of it. */
export interface Seal {
  close(text: string): string
  open(sealed: string): string
}

const MARK = 'sealed1:'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM under a passphrase that every replica has; without one, secrets are kept as they are. */
export function createSeal(passphrase: string | undefined): Seal {
  const key = passphrase ? createHash('sha256').update(passphrase).digest() : undefined
  return {
    close(text) {
      if (!key) return text
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return MARK + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    open(sealed) {
      if (!sealed.startsWith(MARK)) return sealed
      if (!key) throw wrongKey('PORTOLAN_SECRET_KEY is not set')
      const bytes = Buffer.from(sealed.slice(MARK.length), 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        const body = bytes.subarray(NONCE_BYTES + TAG_BYTES)
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
      } catch (cause) {
        throw wrongKey('PORTOLAN_SECRET_KEY is another one', cause)
      }
    },
  }
}

function wrongKey(what: string, cause?: unknown): GatewayError {
  return new GatewayError('SERVER_UNAVAILABLE', `A secret in the database is sealed, and ${what}`, {
    hint: 'Give every replica the same PORTOLAN_SECRET_KEY that the first one had.',
    cause,
  })
}
