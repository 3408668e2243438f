import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { hasCode } from '../base/errors.ts'
import { GatewayError } from '../gateway/errors.ts'

const BYTES = 32

/** Returns the secret of this installation, or undefined if none was created yet. */
export function readSecret(path: string): Buffer | undefined {
  try {
    return mustBeLong(Buffer.from(readFileSync(path, 'utf8'), 'base64url'), path)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Returns the secret of a file, created if there is none yet, or the one that replicas share. */
export function secretOf(source: string | Buffer): Buffer {
  if (Buffer.isBuffer(source)) return mustBeLong(source, 'the database')
  return readSecret(source) ?? createSecret(source)
}

/** Creates a secret; if two processes start together, both use the first one's. */
export function createSecret(path: string): Buffer {
  return mustBeLong(
    Buffer.from(linkSecret(path, randomBytes(BYTES).toString('base64url')), 'base64url'),
    path,
  )
}

/**
 * Writes a file atomically, readable by its owner only, unless it exists; returns its content.
 * Syncs the content before the name, so that a power loss leaves no empty file.
 */
export function linkSecret(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  syncFolder(dirname(path))
  return readFileSync(path, 'utf8')
}

/** Throws if the secret is short: a short one can be guessed, and everyone knows an empty one. */
export function mustBeLong(secret: Buffer, place: string): Buffer {
  if (secret.length >= BYTES) return secret
  throw new GatewayError(
    'INVALID_PARAMS',
    `A secret of this gateway is damaged: ${place} holds ${secret.length} bytes instead of ${BYTES}, so that what it signs could be forged`,
    {
      hint: 'Restore it from a backup, or delete it: a new one is made when it is needed, and what was signed with the old one is no longer accepted.',
    },
  )
}

/** Syncs a folder, without which a power loss could lose the name of a new file. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return // Windows cannot open folders, and writes names itself.
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
