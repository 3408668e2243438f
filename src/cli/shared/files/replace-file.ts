import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Returns the text of a file; empty if there is none. */
export function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/**
 * Replaces a file atomically, so that nobody reads half of it. Follows a link and keeps the mode of
 * the file, because dotfiles are often both linked and private.
 */
export function replaceFile(path: string, content: string | Uint8Array, mode = 0o644): void {
  const target = existsSync(path) ? realpathSync(path) : path
  mkdirSync(dirname(target), { recursive: true })
  const kept = existsSync(target) ? statSync(target).mode & 0o777 : mode
  const draft = `${target}.${process.pid}.portolan`
  writeFileSync(draft, content, { mode: kept })
  chmodSync(draft, kept)
  renameSync(draft, target)
}
