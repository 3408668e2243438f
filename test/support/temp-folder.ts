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
  /** Objects are written as JSON, strings as they are. */
  write(name: string, content: unknown): string
  /** Nothing there reads as nothing. */
  read(name: string): string
}

/** Where a helper leaves what has to be undone: the running test, unless told otherwise. */
export type Later = (undo: () => void | Promise<void>) => void

/** A folder of its own for the running test, gone when the test ends. */
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
