import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { GatewayError } from '../../gateway/errors.ts'
import type { Environment } from '../../base/environment.ts'

/** Encrypts secrets against anyone who has only the disk or database, or a copy of it. */
export interface Seal {
  /** `name` is where the text is stored; sealed for one name, it does not open under another. */
  close(text: string, name: string): string
  open(sealed: string, name: string): string
  /** Seals bytes, which requires a key; undefined if there is none. */
  closeBytes(bytes: Uint8Array, name: string): string | undefined
  openBytes(sealed: string, name: string): Buffer
  /** Whether to seal a text again: it is not sealed, in an old format, or by an old key. */
  isStale(sealed: string, name: string): boolean
}

const MARK = 'sealed2:'
/** The format in which names were not yet part of the seal. */
const OLD_MARK = 'sealed1:'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface SealOptions {
  /** The current key, then earlier ones, which only open. Without any, texts stay unsealed. */
  readonly keys: readonly (string | undefined)[]
  /** What the user must do if none of the keys opens a text. */
  readonly hint: string
}

/** Uses AES-256-GCM; derives the key with scrypt from a passphrase or random bytes when needed. */
export function createSeal({ keys, hint }: SealOptions): Seal {
  const phrases = keys.filter((key) => key !== undefined && key !== '')
  const stretched = phrases.map(() => undefined as Buffer | undefined)
  const keyAt = (at: number, mark: string): Buffer => {
    const phrase = phrases[at] ?? ''
    if (mark === OLD_MARK) return createHash('sha256').update(phrase).digest()
    return (stretched[at] ??= scryptSync(phrase, 'portolan vault', 32))
  }

  /** Returns the content and the index of the key that opened it. */
  function opened(sealed: string, name: string): { body: Buffer; at: number } {
    const mark = markOf(sealed)
    if (mark === undefined) return { body: Buffer.from(sealed), at: -1 }
    if (phrases.length === 0) throw unreadable('there is no key for it', hint)
    const bytes = Buffer.from(sealed.slice(mark.length), 'base64')
    for (let at = 0; at < phrases.length; at += 1) {
      const body = tryOpen(bytes, keyAt(at, mark), mark === MARK ? name : undefined)
      if (body !== undefined) return { body, at }
    }
    throw unreadable('the key is another one', hint)
  }

  function closeBytes(bytes: Uint8Array, name: string): string | undefined {
    if (phrases.length === 0) return undefined
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', keyAt(0, MARK), nonce)
    cipher.setAAD(Buffer.from(name))
    const body = Buffer.concat([cipher.update(bytes), cipher.final()])
    return MARK + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
  }

  return {
    close: (text, name) => closeBytes(Buffer.from(text), name) ?? text,
    open: (sealed, name) => opened(sealed, name).body.toString('utf8'),
    closeBytes,
    openBytes(sealed, name) {
      // Bytes are always written with a key, so unsealed ones come from somebody else.
      if (markOf(sealed) === undefined) throw unreadable('it is not sealed', hint)
      return opened(sealed, name).body
    },
    isStale(sealed, name) {
      if (phrases.length === 0) return false
      return markOf(sealed) !== MARK || opened(sealed, name).at > 0
    },
  }
}

export function isSealed(content: string | Uint8Array): boolean {
  const start =
    typeof content === 'string' ? content : Buffer.from(content.subarray(0, MARK.length))
  return markOf(start.toString()) !== undefined
}

function markOf(sealed: string): string | undefined {
  return [MARK, OLD_MARK].find((mark) => sealed.startsWith(mark))
}

function tryOpen(bytes: Buffer, key: Buffer, name: string | undefined): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    if (name !== undefined) decipher.setAAD(Buffer.from(name))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const body = bytes.subarray(NONCE_BYTES + TAG_BYTES)
    return Buffer.concat([decipher.update(body), decipher.final()])
  } catch {
    return undefined
  }
}

function unreadable(why: string, hint: string): GatewayError {
  return new GatewayError('SERVER_UNAVAILABLE', `A stored secret cannot be read: ${why}`, { hint })
}

/** Returns the seal for shared data, whose key is in the environment of each replica. */
export function sealFromEnvironment(env: Environment): Seal {
  return createSeal({
    keys: [env['PORTOLAN_SECRET_KEY'], env['PORTOLAN_SECRET_KEY_PREVIOUS']],
    hint: 'Give every replica the same PORTOLAN_SECRET_KEY; after a change, the old one as PORTOLAN_SECRET_KEY_PREVIOUS.',
  })
}
