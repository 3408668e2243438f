import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** No configuration, ignore file, manifest or file of git has this size. */
const MAX_BYTES = 64 * 1024 * 1024
/** Opening a pipe does not wait for a writer, and opening a terminal does not attach to it. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/**
 * Reads a text file that was merely found in a folder; undefined if it is no plain file or larger
 * than `maxBytes`. Somebody else may have put a link to a device or a pipe in its place, which would
 * be read without end, or be our own input.
 */
export function readFoundFile(path: string, maxBytes?: number): string | undefined {
  return readFoundBytes(path, maxBytes)?.toString('utf8')
}

/** The same; undefined also if it cannot be opened. */
export function readIfFound(path: string): string | undefined {
  try {
    return readFoundFile(path)
  } catch {
    return undefined
  }
}

/** The same for a file that is not text. */
export function readFoundBytes(path: string, maxBytes = MAX_BYTES): Buffer | undefined {
  const opened = openSync(path, FLAGS)
  try {
    // The open file is checked, not the path: a path may lead elsewhere a moment later.
    const stat = fstatSync(opened)
    return stat.isFile() && stat.size <= maxBytes ? readBytes(opened, stat.size) : undefined
  } finally {
    closeSync(opened)
  }
}

/** Reads at most `size` bytes: a file may grow while it is read, and those of `/proc` have no size. */
function readBytes(opened: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let filled = 0
  while (filled < size) {
    const read = readSync(opened, bytes, filled, size - filled, null)
    if (read === 0) break
    filled += read
  }
  return bytes.subarray(0, filled)
}
