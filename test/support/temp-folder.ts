import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TempFolder extends AsyncDisposable {
  readonly path: string
  write(name: string, content: unknown): Promise<string>
}

/** A folder of its own that goes with the test. */
export async function tempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), 'portolan-'))
  return {
    path,
    async write(name, content) {
      const file = join(path, name)
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
      return file
    },
    [Symbol.asyncDispose]: async () => rm(path, { recursive: true, force: true }),
  }
}
