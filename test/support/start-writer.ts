import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { StorageOptions } from '../../src/storage/open-storage.ts'

export interface Writer {
  /** Resolves with all acknowledged names when it has ended by itself. */
  readonly done: Promise<string[]>
  /** Returns the names acknowledged so far. */
  names(): readonly string[]
  /** Resolves when `count` names are acknowledged. */
  acknowledged(count: number): Promise<void>
  /** Ends it with SIGKILL, and returns the names acknowledged by then. */
  kill(): Promise<string[]>
}

/** A process that writes rows one by one, and prints each as soon as it is acknowledged. */
export function startWriter(place: StorageOptions, count: number): Writer {
  const script = join(import.meta.dirname, 'writer.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', script, String(count)], {
    env: {
      ...process.env,
      HOME_FOLDER: place.home,
      PORTOLAN_DATABASE_URL: place.databaseUrl ?? '',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const names: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => names.push(line))
  const ended = once(lines, 'close')
  return {
    done: ended.then(() => names),
    names: () => [...names],
    async acknowledged(wanted) {
      while (names.length < wanted) await once(lines, 'line')
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
      return names
    },
  }
}
