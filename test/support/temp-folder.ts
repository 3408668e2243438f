import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

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

const MOST_TRIES = 30
const RETRY_MS = 100
const nobody = new Int32Array(new SharedArrayBuffer(4))

/**
 * Removes a folder with what is in it, also while a process that is ending still writes there. Node's own
 * retries do not look again at what is in the folder, so that one new file makes all of them fail.
 */
export function removeFolder(path: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(path, { recursive: true, force: true })
      return
    } catch (error) {
      if (tries === MOST_TRIES) throw error
      Atomics.wait(nobody, 0, 0, RETRY_MS)
    }
  }
}

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
