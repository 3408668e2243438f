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
