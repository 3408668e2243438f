import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, statSync } from 'node:fs'
import { mkdir, open, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../base/errors.ts'
import { GatewayError } from '../gateway/errors.ts'

const LOCK_WAIT_MS = 5000
/** A lock that was not touched for this long was left by a process that died. */
const LOCK_STALE_MS = 4000
/** How often the holder of a lock touches it. */
const LOCK_TOUCH_MS = 1000

/**
 * Replaces a file atomically, readable by its owner only. `isWanted` is asked at the last moment
 * whether to do so.
 */
export async function writeSecretFile(
  path: string,
  content: string,
  isWanted: () => boolean = () => true,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    if (isWanted()) renameSync(draft, path)
    else await rm(draft)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Runs while holding `<path>.lock`, so that processes that share the file take turns. */
export async function withLock<Result>(
  path: string,
  run: () => Promise<Result>,
  waitMs = LOCK_WAIT_MS,
): Promise<Result> {
  const lock = `${path}.lock`
  // Tells our lock from that of somebody who took it over while this process was stopped.
  const mark = randomBytes(12).toString('hex')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await acquire(lock, mark, waitMs)
  const touching = setInterval(() => void touch(lock, mark), LOCK_TOUCH_MS).unref()
  try {
    return await run()
  } finally {
    clearInterval(touching)
    if (await isOurs(lock, mark)) await rm(lock, { force: true })
  }
}

async function touch(lock: string, mark: string): Promise<void> {
  const now = new Date()
  if (await isOurs(lock, mark)) await utimes(lock, now, now).catch(() => undefined)
}

async function isOurs(lock: string, mark: string): Promise<boolean> {
  return (await readFile(lock, 'utf8').catch(() => undefined)) === mark
}

async function acquire(lock: string, mark: string, waitMs: number): Promise<void> {
  const giveUpAt = performance.now() + waitMs
  while (!(await tryLock(lock, mark))) {
    if (await removeStale(lock)) continue
    if (performance.now() > giveUpAt) {
      throw new GatewayError('SERVER_BUSY', `${lock} is held by another process`, {
        hint: 'Wait until it has ended, or remove the file if no Portolan is running.',
      })
    }
    await sleep(15)
  }
}

async function tryLock(lock: string, mark: string): Promise<boolean> {
  try {
    await writeFile(lock, mark, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/**
 * Removes the lock of a process that died. Several waiters may find it: only the one that creates a
 * file named after exactly this lock removes it, so that nobody removes the lock of the next holder.
 */
async function removeStale(lock: string): Promise<boolean> {
  const found = staleStamp(lock)
  if (found === undefined) return false
  const claim = `${lock}.${found}`
  if (!(await tryLock(claim, ''))) {
    await removeStale(claim)
    return false
  }
  // No await between the two: meanwhile the lock could become another one.
  if (staleStamp(lock) === found) rmSync(lock, { force: true })
  await rm(claim, { force: true })
  return true
}

/**
 * Identifies a lock that was not touched for long; undefined if it was, or if there is none. One of
 * a later time than now was touched before the clock was set back.
 */
function staleStamp(lock: string): string | undefined {
  const found = statSync(lock, { throwIfNoEntry: false, bigint: true })
  if (!found || Math.abs(Date.now() - Number(found.mtimeMs)) <= LOCK_STALE_MS) return undefined
  return `${found.ino}-${found.mtimeNs}`
}
