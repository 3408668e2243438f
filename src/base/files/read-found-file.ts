import { readFileSync, statSync } from 'node:fs'

/** Larger files are not read: no configuration, ignore file, manifest or file of git has this size. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * Reads a text file that was merely found in a folder; undefined if it is no plain file or huge.
 * Somebody else may have put a link to a device or a pipe in its place, which would be read without
 * end, or be our own input.
 */
export function readFoundFile(path: string): string | undefined {
  const stat = statSync(path)
  return stat.isFile() && stat.size <= MOST_BYTES ? readFileSync(path, 'utf8') : undefined
}
