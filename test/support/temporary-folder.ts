import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAX_TRIES = 30
const RETRY_MS = 100
const nobody = new Int32Array(new SharedArrayBuffer(4))

/**
 * Removes a folder with its content, even while a process that is ending still writes there. Node's
 * own retries do not read the folder again, so that one new file makes all of them fail.
 */
export function removeFolder(path: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(path, { recursive: true, force: true })
      return
    } catch (error) {
      if (tries === MAX_TRIES) throw error
      // Installed servers are read-only.
      if (tries === 1) spawnSync('chmod', ['-R', 'u+w', path])
      Atomics.wait(nobody, 0, 0, RETRY_MS)
    }
  }
}

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'portolan-'))
  return {
    path,
    remove: async () => removeFolder(path),
  }
}
