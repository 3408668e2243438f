import { createHash } from 'node:crypto'
import { lstat, readFile, readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { SpecError } from '../spec/spec-error.ts'

/** The working folder, whose packs somebody else may have written. */
export interface PackFolder {
  readonly path: string
  /** Whether a person has accepted the pack at this path, given the text that stands for it. */
  trusts(path: string, text: string): boolean
}

export interface FolderPack {
  readonly path: string
  /** One line with name and hash per file: who trusts this text trusts every byte of the pack. */
  readonly text: string
  /** The content of its `pack.yaml`. */
  readonly rules: string
}

export const PACK_FILE = 'pack.yaml'
const MAX_FILES = 1_000
const MAX_BYTES = 64 * 1024 * 1024

/** Reads the packs in the folder `apis` of a working folder, without using any of them. */
export async function readFolderPacks(folder: string): Promise<FolderPack[]> {
  const names = await readdir(join(folder, 'apis')).catch(() => [])
  const packs = await Promise.all(names.map(async (name) => readFolderPack(folder, name)))
  return packs.filter((pack) => pack !== undefined)
}

/** Reads all files of a pack; `undefined` if there is none, or only a link to one. */
export async function readFolderPack(
  folder: string,
  name: string,
): Promise<FolderPack | undefined> {
  const path = join(folder, 'apis', name)
  for (const each of [join(folder, 'apis'), path]) if (!(await isFolder(each))) return undefined
  if ((await lstat(join(path, PACK_FILE)).catch(() => undefined)) === undefined) return undefined
  let [rules, bytes] = ['', 0]
  const lines: string[] = []
  for (const file of await plainFiles(path)) {
    bytes += (await lstat(join(path, file))).size
    if (bytes > MAX_BYTES) throw unusable(path, `has more than ${MAX_BYTES / 1024 / 1024} MB`)
    const content = await readFile(join(path, file))
    if (file === PACK_FILE) rules = content.toString()
    lines.push(`${JSON.stringify(file)} ${createHash('sha256').update(content).digest('hex')}`)
  }
  return { path, text: lines.join('\n'), rules }
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** Lists the files of a pack. A link would lead to what nobody has trusted, and a pipe has no end. */
async function plainFiles(pack: string): Promise<string[]> {
  const files: string[] = []
  const folders = ['']
  for (const folder of folders) {
    for (const entry of await readdir(join(pack, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) files.push(path)
      else throw unusable(pack, `has ${path}, which is neither a plain file nor a folder`)
      if (files.length + folders.length > MAX_FILES)
        throw unusable(pack, `has more than ${MAX_FILES} files`)
    }
  }
  return files.map((file) => file.split(sep).join('/')).toSorted()
}

function unusable(path: string, why: string): SpecError {
  return new SpecError(`The pack ${path} ${why}.`, 'Remove what does not belong to the pack.')
}
