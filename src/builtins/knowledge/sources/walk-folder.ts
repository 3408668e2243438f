import { execFile } from 'node:child_process'
import { lstat, readFile, readdir, stat } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { compilePathGlob } from '../../../base/glob.ts'
import { DocumentError } from '../documents/document-error.ts'
import { formatOfName } from '../documents/read-document.ts'
import type { SourceItem } from './source-item.ts'

const run = promisify(execFile)
const SKIPPED = new Set(['node_modules', 'vendor', 'dist', 'build', 'target', '__pycache__'])

export interface Selection {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}

/** The documents at a path: one file, or all that a folder holds; what git ignores is left out. */
export async function walkFolder(path: string, selection: Selection = {}): Promise<SourceItem[]> {
  const root = resolve(path)
  const found = await stat(root).catch(() => undefined)
  if (!found) {
    throw new DocumentError('not_found', `${path} does not exist`, 'Check the path.')
  }
  if (found.isFile()) return [fileItem(root)]
  const files = (await gitFiles(root)) ?? (await allFiles(root))
  const selected = await selectFiles(root, files, selection)
  return selected.toSorted().map((file) => fileItem(file))
}

/**
 * The documents among files of a folder. A link may point anywhere, also out of the folder: only
 * files that really lie in it are taken.
 */
export async function selectFiles(
  root: string,
  files: readonly string[],
  selection: Selection,
): Promise<string[]> {
  const isSelected = compileSelection(selection)
  const kept = await Promise.all(
    files.map(async (file) => {
      if (formatOfName(file) === undefined) return []
      const isRegular = (await lstat(file).catch(() => undefined))?.isFile() === true
      return isRegular && isSelected(relative(root, file).split(sep).join('/')) ? [file] : []
    }),
  )
  return kept.flat()
}

export function fileItem(file: string, location = file): SourceItem {
  return {
    location,
    sourceType: 'document',
    load: async () => ({ name: basename(file), bytes: await readFile(file) }),
  }
}

/** Whether a path, with slashes between its folders, matches the include and no exclude patterns. */
export function compileSelection({ include, exclude }: Selection): (path: string) => boolean {
  const wanted = include?.map(compilePathGlob) ?? []
  const unwanted = exclude?.map(compilePathGlob) ?? []
  return (path) =>
    !unwanted.some((matches) => matches(path)) &&
    (wanted.length === 0 || wanted.some((matches) => matches(path)))
}

/** Undefined where the folder is not in a git work tree, or git is not installed. */
export async function gitFiles(root: string): Promise<string[] | undefined> {
  try {
    const { stdout } = await run(
      'git',
      ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
      { maxBuffer: 256 * 1024 * 1024 },
    )
    return stdout
      .split('\0')
      .filter(Boolean)
      .map((file) => join(root, file))
  } catch {
    return undefined
  }
}

async function allFiles(root: string): Promise<string[]> {
  const files: string[] = []
  const pending = [root]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) continue
      if (entry.isDirectory()) pending.push(path)
      else if (entry.isFile()) files.push(path)
    }
  }
  return files
}
