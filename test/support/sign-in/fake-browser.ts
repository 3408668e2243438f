import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { type TempFolder, tempFolder } from '../temp-folder.ts'
import { Browser } from './browser.ts'
import { withKey } from './signing-client.ts'

export interface FakeBrowser {
  /** The environment of a program that opens addresses. */
  readonly env: Record<string, string>
  /** Returns the addresses that programs opened. */
  opened(): readonly string[]
}

/** Replaces the browser that programs start, and only records the addresses. */
export function fakeBrowser(folder: TempFolder = tempFolder()): FakeBrowser {
  const list = folder.file('opened')
  folder.write('bin/xdg-open', `#!/bin/sh\necho "$1" >> '${list}'\n`)
  chmodSync(folder.file('bin/xdg-open'), 0o755)
  return {
    env: {
      PATH: [folder.file('bin'), process.env['PATH']].join(delimiter),
      BROWSER: folder.file('bin/xdg-open'),
      // Without a display, programs do not try to open a browser.
      DISPLAY: ':9',
    },
    opened: () => (existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : []),
  }
}

/** Acts as the person at the address that a client opened: signs in, agrees, and returns to it. */
export async function agreeAt(address: string, origin: string, key: string): Promise<void> {
  const browser = new Browser()
  const answer = await withKey(key)(browser, await browser.open(address, origin))
  await fetch(answer.url)
}
