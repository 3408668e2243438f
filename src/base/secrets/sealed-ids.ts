import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

/** Ids that hold a text or bytes, encrypted and signed: they can be neither guessed nor read. */
export interface SealedIds {
  seal(content: string | Buffer): string
  /** Returns undefined for anything that is not an id of ours. */
  open(id: unknown): string | undefined
  openBytes(id: unknown): Buffer | undefined
}

export interface SealedIdsOptions {
  readonly prefix: string
  /** Two uses of one secret have different keys, so that neither can make an id of the other. */
  readonly purpose: string
  /** Read with the first id. */
  readonly secret: () => Buffer
  /** Longer texts are no ids, and are not decrypted. */
  readonly maxLength: number
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSealedIds({
  prefix,
  purpose,
  secret,
  maxLength,
}: SealedIdsOptions): SealedIds {
  let known: Buffer | undefined
  const key = () => (known ??= createHmac('sha256', secret()).update(purpose).digest())

  return {
    seal(content) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key(), nonce)
      const sealed = Buffer.concat([cipher.update(Buffer.from(content)), cipher.final()])
      return prefix + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open: (id) => openBytes(id)?.toString('utf8'),
    openBytes,
  }

  function openBytes(id: unknown): Buffer | undefined {
    if (typeof id !== 'string' || !id.startsWith(prefix) || id.length > maxLength) return undefined
    const encoded = id.slice(prefix.length)
    const bytes = Buffer.from(encoded, 'base64url')
    // Another spelling of the same bytes would be a second name of the same thing.
    if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== encoded)
      return undefined
    const decipher = createDecipheriv(ALGORITHM, key(), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    try {
      const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([opened, decipher.final()])
    } catch {
      return undefined // Forged, or made with another key.
    }
  }
}
