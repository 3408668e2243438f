import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readFoundFile } from '../../../base/files/read-found-file.ts'
import { GatewayError } from '../../../gateway/errors.ts'

/** Returns the text of a file; empty if there is none. */
export function textOf(path: string): string {
  const text = existsSync(path) ? readFoundFile(path) : ''
  if (text !== undefined) return text
  throw new GatewayError('INVALID_PARAMS', `${path} is not a plain file, or too large to be read`)
}

/**
 * Replaces a file atomically, so that nobody reads half of it. Follows a link and keeps the mode of
 * the file, because dotfiles are often both linked and private.
 */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o644): void {
  const target = targetOf(path)
  // A folder that is made for a private file is private.
  mkdirSync(dirname(target), { recursive: true, ...(mode === 0o600 && { mode: 0o700 }) })
  const kept = existsSync(target) ? statSync(target).mode & 0o777 : mode
  const draft = `${target}.${process.pid}.portolan`
  try {
    writeFileSync(draft, content, { mode: kept })
    chmodSync(draft, kept)
    renameSync(draft, target)
  } catch (error) {
    // It may hold half of the content, and secrets.
    rmSync(draft, { force: true })
    throw error
  }
}

/** Returns the file that a link leads to, even if it does not exist yet; else the path itself. */
export function targetOf(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink ? resolve(dirname(path), readlinkSync(path)) : path
}
