import { closeSync, fchmodSync, fstatSync, mkdirSync, openSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode, messageOf } from '../../base/errors.ts'

export interface RotatingFileOptions {
  readonly path: string
  readonly maxBytes: number
  readonly keep: number
  /** Called with the oldest file before it is deleted. */
  readonly beforeDiscard?: ((path: string) => Promise<void>) | undefined
}

export interface RotatingFile {
  /** Appends whole lines; throws when not all of them could be written. */
  append(lines: string): Promise<void>
  /** Rejects if the file cannot be opened for appending. */
  open(): Promise<void>
  /** Why the file cannot be rotated, if so; lines are still written. */
  readonly problem: string | undefined
  /** Returns a descriptor for a last write at exit; it is never closed, as the process ends. */
  openSync(): number
  close(): Promise<void>
}

/** How often to check whether another process has rotated the file. */
const LOOK_MS = 1_000

/** A lock this old was left behind by a process that died while it rotated. */
const STALE_LOCK_MS = 10_000

/**
 * An append-only file that several processes share: each writes whole lines with O_APPEND, one of
 * them rotates under a lock, and the others notice that the path now names another file.
 */
export function createRotatingFile(options: RotatingFileOptions): RotatingFile {
  const { path, maxBytes, keep, beforeDiscard } = options
  let handle: FileHandle | undefined
  let inode = 0n
  let size = 0
  let lookedAtMs = 0
  let torn = false
  let problem: string | undefined

  async function current(): Promise<FileHandle> {
    if (handle !== undefined && performance.now() - lookedAtMs > LOOK_MS) await look()
    if (handle !== undefined) return handle
    await makeFolder(dirname(path))
    handle = await open(path, 'a', 0o600)
    const { mode, ino, size: found } = await handle.stat({ bigint: true })
    if (isWideOpenFile(Number(mode))) await handle.chmod(0o600)
    inode = ino
    size = Number(found)
    // A process that was killed may have left a part of a line.
    // Another process may be rotating it: then the part stays in the older file.
    torn = await isTorn(path, size).catch(() => false)
    lookedAtMs = performance.now()
    return handle
  }

  /** Closes the file if the path no longer names it. */
  async function look(): Promise<void> {
    lookedAtMs = performance.now()
    const named = await stat(path, { bigint: true }).catch(() => undefined)
    if (named?.ino !== inode) await drop()
    else size = Number(named.size)
  }

  async function drop(): Promise<void> {
    const old = handle
    handle = undefined
    await old?.close()
  }

  async function rotate(): Promise<void> {
    const unlock = await lock(`${path}.lock`)
    if (unlock === undefined) return
    try {
      // Another process may have been faster.
      await look()
      if (handle === undefined || size < maxBytes) return
      const oldest = keep > 0 ? `${path}.${keep}` : path
      await beforeDiscard?.(oldest).catch(() => undefined)
      if (keep > 0) await rm(oldest, { force: true })
      for (let n = keep - 1; n >= 1; n--) await renameIfThere(`${path}.${n}`, `${path}.${n + 1}`)
      await (keep > 0 ? rename(path, `${path}.1`) : rm(path))
      await drop()
    } finally {
      await unlock()
    }
  }

  async function write(file: FileHandle, bytes: Buffer): Promise<void> {
    let offset = 0
    while (offset < bytes.length) {
      const { bytesWritten } = await file.write(bytes, offset)
      offset += bytesWritten
      size += bytesWritten
      // A full disk cuts a line short: the next line must not be appended to that part.
      torn = bytes[offset - 1] !== 0x0a
    }
  }

  return {
    async append(lines) {
      const file = await current()
      await write(file, Buffer.from(torn ? `\n${lines}` : lines))
      if (size < maxBytes) return
      try {
        await rotate()
        problem = undefined
      } catch (error) {
        problem = `Cannot rotate: ${messageOf(error)}`
      }
    },
    async open() {
      await current()
    },
    get problem() {
      return problem
    },
    openSync() {
      if (handle !== undefined) return handle.fd
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const fd = openSync(path, 'a', 0o600)
      if (isWideOpenFile(fstatSync(fd).mode)) fchmodSync(fd, 0o600)
      return fd
    },
    close: drop,
  }
}

/** Whether group or others have access to a regular file; devices and pipes keep their mode. */
function isWideOpenFile(mode: number): boolean {
  return (mode & 0o170000) === 0o100000 && (mode & 0o077) !== 0
}

/** Whether a file ends within a line; a pipe or a device does not, as far as anybody can tell. */
async function isTorn(path: string, size: number): Promise<boolean> {
  if (size === 0) return false
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
    return bytesRead === 1 && buffer[0] !== 0x0a
  } finally {
    await file.close()
  }
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}

/** Resolves with the function that unlocks, or with undefined if another process holds the lock. */
async function lock(path: string): Promise<(() => Promise<void>) | undefined> {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    // A lock of a later time than now is older than a change of the clock.
    if (Math.abs(Date.now() - mtimeMs) > STALE_LOCK_MS) await rm(path, { force: true })
    return undefined
  }
  return async () => rm(path, { force: true })
}

/**
 * Creates a folder for its owner alone, with all folders above it. Node's own `recursive` never
 * ends below `/proc`, where nothing can be created and the error says that the parent is missing.
 */
export async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (found) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent)
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
