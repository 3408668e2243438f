import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../base/errors.ts'
import { GatewayError } from '../gateway/errors.ts'

const LOCK_WAIT_MS = 5000
/** A lock that was not touched for this long was left by a process that died. */
const LOCK_STALE_MS = 4000
/** How often the holder of a lock touches it. */
const LOCK_TOUCH_MS = 1000

/** Replaces a file atomically, readable by its owner only. */
export async function writeSecretFile(path: string, content: string): Promise<void> {
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
    await rename(draft, path)
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
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await acquire(lock, waitMs)
  const touching = setInterval(() => void touch(lock), LOCK_TOUCH_MS).unref()
  try {
    return await run()
  } finally {
    clearInterval(touching)
    await rm(lock, { force: true })
  }
}

async function touch(lock: string): Promise<void> {
  const now = new Date()
  await utimes(lock, now, now).catch(() => undefined)
}

async function acquire(lock: string, waitMs: number): Promise<void> {
  const giveUpAt = Date.now() + waitMs
  while (!(await tryLock(lock))) {
    if (await isStale(lock)) await rm(lock, { force: true })
    else if (Date.now() > giveUpAt) {
      throw new GatewayError('SERVER_BUSY', `${lock} is held by another process`, {
        hint: 'Wait until it has ended, or remove the file if no Portolan is running.',
      })
    } else await sleep(15)
  }
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', 0o600)
    await file.close()
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function isStale(lock: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > LOCK_STALE_MS
  } catch {
    return false
  }
}
