import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { debianProgram } from './debian-program.ts'

const NEED = 'The browser tests need Chromium; CHROMIUM_PATH may name one.'

const FLAGS = [
  '--no-sandbox',
  '--headless',
  '--disable-gpu',
  '--disable-background-networking',
  // In containers /dev/shm is small.
  '--disable-dev-shm-usage',
]

/** Starts a real browser: CHROMIUM_PATH, the one on the PATH, or Debian's, installed once. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: FLAGS })
}

export async function findChromium(): Promise<string> {
  const given = process.env['CHROMIUM_PATH']
  if (given !== undefined && given !== '') {
    if (existsSync(given)) return given
    throw new Error(`CHROMIUM_PATH names ${given}, which is not there. ${NEED}`)
  }
  return debianProgram({ name: 'chromium', packageName: 'chromium', need: NEED })
}
