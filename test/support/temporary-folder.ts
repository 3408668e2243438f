import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'portolan-'))
  return {
    path,
    remove: async () => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  }
}
