import { isPackageWord } from '../../../base/text/package-word.ts'

/** What a well-known server needs beside the default sandbox. */
export interface Preset {
  /** Whether it may write the paths that its arguments and variables name. */
  readonly writesNamed?: true
  readonly read?: readonly string[]
  /** Folders, which are created. */
  readonly write?: readonly string[]
  /** Variables of ours that it needs. */
  readonly env?: readonly string[]
}

const FILES: Preset = { writesNamed: true }
const BROWSER: Preset = {
  writesNamed: true,
  read: ['~/.cache/ms-playwright', '~/.cache/puppeteer', '/opt/google', '/opt/microsoft'],
}
const PYTHON: Preset = { read: ['~/.local/share/uv'] }

/** By package or program, without a version. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  '@modelcontextprotocol/server-filesystem': FILES,
  '@modelcontextprotocol/server-memory': FILES,
  '@cyanheads/git-mcp-server': FILES,
  'mcp-server-git': FILES,
  'mongodb-mcp-server': { write: ['~/.mongodb'] },
  'mcp-server-sqlite': FILES,
  'mcp-server-sqlite-npx': FILES,
  '@bytebase/dbhub': FILES,
  '@playwright/mcp': BROWSER,
  'mcp-server-playwright': BROWSER,
  '@executeautomation/playwright-mcp-server': BROWSER,
  'chrome-devtools-mcp': BROWSER,
  '@modelcontextprotocol/server-puppeteer': BROWSER,
  uvx: PYTHON,
  uv: PYTHON,
}

/** Returns what the servers of a command need; most commands are those of no or one known server. */
export function presetsOf(command: string, args: readonly string[]): Preset[] {
  return Object.entries(PRESETS).flatMap(([name, preset]) =>
    [command, ...args].some((word) => isPackageWord(word, name)) ? [preset] : [],
  )
}
