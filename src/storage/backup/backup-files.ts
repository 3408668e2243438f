import { type Dirent, createReadStream } from 'node:fs'
import { appendFile, chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { hasCode } from '../../base/errors.ts'
import { StorageError } from '../storage-failure.ts'

/** Files that cannot be rebuilt from the database; all others are caches and indexes. */
const KEPT = [
  'keys.json',
  'handle-secret',
  'accounts',
  'oauth',
  'vault',
  'vault-key',
  'hooks',
  'apis',
  'scripts',
  'history',
  // What was accepted of servers, and which version of a package they are.
  'accepted',
  'pins',
  'mcp.json',
  'mcp.lock',
  'rules.json',
  'portolan.yaml',
  'secrets.env',
  'secrets.sealed',
  'trusted.json',
  // In backups of earlier versions.
  'names',
  /^audit\.jsonl(\.\d+)?$/,
]
const CHUNK_BYTES = 256 * 1024

export interface FileLine {
  readonly file: string
  readonly mode: number
  /** Base64. A large file comes in several lines. */
  readonly data: string
}

/** Reads the files of a data folder in pieces; `instead` has other contents for some of them. */
export async function* readDataFiles(
  home: string,
  instead: ReadonlyMap<string, string> = new Map(),
): AsyncGenerator<FileLine> {
  for (const file of await keptFiles(home)) {
    const mode = (await stat(join(home, file))).mode & 0o777
    const text = instead.get(file)
    yield { file, mode, data: Buffer.from(text ?? '').toString('base64') }
    if (text !== undefined) continue
    for await (const chunk of createReadStream(join(home, file), { highWaterMark: CHUNK_BYTES }))
      yield { file, mode, data: Buffer.from(chunk).toString('base64') }
  }
}

/** Collects files in a temporary folder and moves them into place at the end. */
export class FileRestore {
  readonly #home: string
  readonly #stage: string
  readonly #files = new Map<string, number>()

  constructor(home: string) {
    this.#home = home
    this.#stage = join(home, `.restore-${process.pid}`)
  }

  get count(): number {
    return this.#files.size
  }

  /** Throws if the data folder already holds data. */
  async requireEmpty(): Promise<void> {
    const [found] = await keptFiles(this.#home)
    if (found !== undefined)
      throw new StorageError(
        `The data folder already holds data (${found}): restore into an empty one, such as a new PORTOLAN_HOME`,
      )
  }

  async take({ file, mode, data }: FileLine): Promise<void> {
    if (!isKept(file)) throw new StorageError(`The backup has an unknown file: ${file}`)
    const path = join(this.#stage, file)
    if (!this.#files.has(file)) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    this.#files.set(file, mode)
    await appendFile(path, Buffer.from(data, 'base64'), { mode: 0o600 })
  }

  async finish(): Promise<void> {
    for (const [file, mode] of this.#files) {
      const path = join(this.#home, file)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await chmod(join(this.#stage, file), mode)
      await rename(join(this.#stage, file), path)
    }
  }

  async discard(): Promise<void> {
    await rm(this.#stage, { recursive: true, force: true })
  }
}

async function keptFiles(home: string): Promise<string[]> {
  const files: string[] = []
  for (const entry of await entriesOf(home)) {
    if (!isKept(entry.name)) continue
    if (entry.isFile()) files.push(entry.name)
    else if (entry.isDirectory()) files.push(...(await filesBelow(home, entry.name)))
  }
  return files.toSorted()
}

/** Fails if the data folder cannot be read: a backup without its files would look complete. */
async function entriesOf(home: string): Promise<Dirent[]> {
  try {
    return await readdir(home, { withFileTypes: true })
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

async function filesBelow(home: string, folder: string): Promise<string[]> {
  const all = await readdir(join(home, folder), { recursive: true, withFileTypes: true })
  return all
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(home, join(parentPath, name)))
}

function isKept(file: string): boolean {
  const [top = '', ...rest] = file.split(sep)
  if (rest.includes('..')) return false
  return KEPT.some((kept) => (typeof kept === 'string' ? kept === top : kept.test(file)))
}
