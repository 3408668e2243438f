import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeFolder } from './temporary-folder.ts'

export interface TempFolder {
  readonly path: string
  file(name: string): string
  /** Writes objects as JSON, strings unchanged. */
  write(name: string, content: unknown): string
  /** Returns an empty string for a missing file. */
  read(name: string): string
}

/** Registers a clean-up step of a helper; by default, with the running test. */
export type Later = (undo: () => void | Promise<void>) => void

/** Makes a folder for the running test, which is removed when the test ends. */
export function tempFolder(later: Later = onTestFinished): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'portolan-')))
  later(() => removeFolder(path))
  const file = (name: string) => join(path, name)
  return {
    path,
    file,
    write(name, content) {
      mkdirSync(dirname(file(name)), { recursive: true })
      writeFileSync(file(name), typeof content === 'string' ? content : JSON.stringify(content))
      return file(name)
    },
    read: (name) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : ''),
  }
}
