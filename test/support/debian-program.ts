import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface DebianProgram {
  readonly name: string
  /** Debian's package that holds it. */
  readonly packageName: string
  /** What the tests need it for, and what else would do. */
  readonly need: string
}

/** The path of a program: as installed, or installed now where we may. */
export async function debianProgram({ name, packageName, need }: DebianProgram): Promise<string> {
  const found = await find(name)
  if (found !== undefined) return found
  const help = `${need} Install it with \`apt-get install ${packageName}\`; as root on Debian the tests do so themselves.`
  if (process.getuid?.() !== 0) throw new Error(help)
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update', '-q'], { env })
    await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', packageName], { env })
  } catch (error) {
    throw new Error(help, { cause: error })
  }
  const installed = await find(name)
  if (installed === undefined) throw new Error(help)
  return installed
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
