import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

export interface TempFolder {
  readonly path: string
  file(name: string): string
  /** Objects are written as JSON, strings as they are. */
  write(name: string, content: unknown): string
}

/** A folder of its own for the running test, gone when the test ends. */
export function tempFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'portolan-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const file = (name: string) => join(path, name)
  return {
    path,
    file,
    write(name, content) {
      mkdirSync(dirname(file(name)), { recursive: true })
      writeFileSync(file(name), typeof content === 'string' ? content : JSON.stringify(content))
      return file(name)
    },
  }
}
