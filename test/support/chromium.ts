import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const run = promisify(execFile)

const HOW_TO_GET_ONE =
  'The browser tests need Chromium. Either set CHROMIUM_PATH to one, or install it (on Debian: `apt-get install chromium`), or run as root on Debian: it is then installed for you.'

const FLAGS = [
  '--no-sandbox',
  '--headless',
  '--disable-gpu',
  '--disable-background-networking',
  // Containers give /dev/shm little room.
  '--disable-dev-shm-usage',
]

/** A real browser: the one you name, the one on the PATH, or Debian's, installed once. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: FLAGS })
}

async function findChromium(): Promise<string> {
  const given = process.env['CHROMIUM_PATH']
  if (given !== undefined && given !== '') {
    if (existsSync(given)) return given
    throw new Error(`CHROMIUM_PATH names ${given}, which is not there. ${HOW_TO_GET_ONE}`)
  }
  const found = onPath('chromium')
  if (found !== undefined) return found
  if (process.getuid?.() !== 0) throw new Error(HOW_TO_GET_ONE)
  try {
    await run('apt-get', ['update', '-q'])
    await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      maxBuffer: 64 << 20,
    })
  } catch (error) {
    throw new Error(HOW_TO_GET_ONE, { cause: error })
  }
  const installed = onPath('chromium')
  if (installed === undefined) throw new Error(HOW_TO_GET_ONE)
  return installed
}

function onPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
