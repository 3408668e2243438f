import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface DebianProgram {
  readonly name: string
  /** The Debian package that contains it. */
  readonly packageName: string
  /** What the tests need it for, and the alternative. */
  readonly need: string
}

/** Returns the path of a program; as root, installs it if it is missing. */
export async function debianProgram({ name, packageName, need }: DebianProgram): Promise<string> {
  const found = await find(name)
  if (found !== undefined) return found
  const help = `${need} Install it with \`apt-get install ${packageName}\`; as root on Debian the tests do so themselves.`
  if (process.getuid?.() !== 0) throw new Error(help)
  try {
    await install(packageName)
  } catch (error) {
    throw new Error(help, { cause: error })
  }
  const installed = await find(name)
  if (installed === undefined) throw new Error(help)
  return installed
}

const LOCK_WAIT_SECONDS = 240

/** Waits for other installations: another test file, or another run on this machine. */
async function install(packageName: string): Promise<void> {
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 << 20,
  }
  const wait = ['-o', `DPkg::Lock::Timeout=${LOCK_WAIT_SECONDS}`]
  await unlessLocked(async () => run('apt-get', ['update', '-q'], options))
  await run(
    'apt-get',
    ['install', '-y', '-q', '--no-install-recommends', ...wait, packageName],
    options,
  )
}

/** Retries while the package lists are locked, as apt itself does not wait for that lock. */
async function unlessLocked(work: () => Promise<unknown>): Promise<void> {
  const end = Date.now() + LOCK_WAIT_SECONDS * 1000
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (!String(error).includes('lock') || Date.now() > end) throw error
      await setTimeout(1000)
    }
  }
}

async function find(name: string): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
  for (const folder of folders) {
    const path = join(folder, name)
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (runs) return path
  }
  return undefined
}
