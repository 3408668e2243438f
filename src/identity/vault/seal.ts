import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { GatewayError } from '../../gateway/errors.ts'
import type { Environment } from '../../base/environment.ts'

/** Keeps secrets unreadable to whoever has only the disk or the database, or a copy of it. */
export interface Seal {
  /** `name` is where the text is kept: sealed for one name, it does not open under another. */
  close(text: string, name: string): string
  open(sealed: string, name: string): string
  /** The same for bytes, which need a key: undefined where there is none. */
  closeBytes(bytes: Uint8Array, name: string): string | undefined
  openBytes(sealed: string, name: string): Buffer
  /** Whether a text should be sealed again: it is not sealed, or under an earlier key. */
  isStale(sealed: string, name: string): boolean
}

const MARK = 'sealed2:'
/** How it was before names were part of it. */
const OLD_MARK = 'sealed1:'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface SealOptions {
  /** The key in use first, then earlier ones, which only open. Without any, texts are kept as they are. */
  readonly keys: readonly (string | undefined)[]
  /** What the user must do when none of the keys opens a text. */
  readonly hint: string
}

/** AES-256-GCM; the key is stretched from a passphrase, or from random bytes, when it is first needed. */
export function createSeal({ keys, hint }: SealOptions): Seal {
  const phrases = keys.filter((key) => key !== undefined && key !== '')
  const stretched = phrases.map(() => undefined as Buffer | undefined)
  const keyAt = (at: number, mark: string): Buffer => {
    const phrase = phrases[at] ?? ''
    if (mark === OLD_MARK) return createHash('sha256').update(phrase).digest()
    return (stretched[at] ??= scryptSync(phrase, 'portolan vault', 32))
  }

  /** The content and which key opened it. */
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
      // Whoever wrote bytes had a key: what is not sealed was put there by somebody else.
      if (markOf(sealed) === undefined) throw unreadable('it is not sealed', hint)
      return opened(sealed, name).body
    },
    isStale(sealed, name) {
      if (phrases.length === 0) return false
      return markOf(sealed) !== MARK || opened(sealed, name).at > 0
    },
  }
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

/** The seal of what replicas share: its key is in the environment of each of them. */
export function sealFromEnvironment(env: Environment): Seal {
  return createSeal({
    keys: [env['PORTOLAN_SECRET_KEY'], env['PORTOLAN_SECRET_KEY_PREVIOUS']],
    hint: 'Give every replica the same PORTOLAN_SECRET_KEY; after a change, the old one as PORTOLAN_SECRET_KEY_PREVIOUS.',
  })
}
