import { execFile } from 'node:child_process'
import { lstat, readFile, readdir, stat } from 'node:fs/promises'
import { basename, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { hasCode } from '../../../base/errors.ts'
import { compilePathGlob } from '../../../base/text/glob.ts'
import { DocumentError } from '../documents/document-error.ts'
import { formatOfName } from '../documents/read-document.ts'
import type { SourceItem } from './source-item.ts'

const run = promisify(execFile)
const SKIPPED = new Set(['node_modules', 'vendor', 'dist', 'build', 'target', '__pycache__'])

export interface Selection {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}

export interface SkippedFile {
  readonly location: string
  readonly reason: string
}

/** The files of a folder that are documents, and those among the selected ones that are not. */
export interface SelectedFiles {
  readonly files: readonly string[]
  readonly skipped: readonly SkippedFile[]
}

export interface FoundDocuments {
  /** The folder they were looked for in; undefined for a single file. */
  readonly folder?: string
  readonly items: readonly SourceItem[]
  readonly skipped: readonly SkippedFile[]
}

/** The documents at a path: one file, or all that a folder holds; what git ignores is left out. */
export async function walkFolder(path: string, selection: Selection): Promise<FoundDocuments> {
  const root = resolve(path)
  const found = await stat(root).catch(() => undefined)
  if (!found) {
    throw new DocumentError('not_found', `${path} does not exist`, 'Check the path.')
  }
  if (found.isFile()) return { items: [fileItem(root)], skipped: [] }
  const { files, left } = (await gitTree(root)) ?? (await wholeTree(root))
  const { files: documents, skipped } = await selectFiles(root, files.toSorted(), selection)
  const items = documents.map((file) => fileItem(file))
  return { folder: root, items, skipped: [...skipped, ...left] }
}

/** Whether a location names a file that does not exist any more. */
export async function isGone(location: string): Promise<boolean> {
  if (!isAbsolute(location)) return false
  return lstat(location).then(
    () => false,
    (error: unknown) => hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR'),
  )
}

/** What a folder holds, and what of it is not even looked at. */
interface Tree {
  readonly files: readonly string[]
  readonly left: readonly SkippedFile[]
}

async function gitTree(root: string): Promise<Tree | undefined> {
  const files = await gitFiles(root)
  if (!files) return undefined
  const ignored = await gitIgnored(root)
  return { files, left: ignored.map((location) => ({ location, reason: 'ignored by git' })) }
}

/**
 * The documents among files of a folder. A link may point anywhere, also out of the folder: only
 * regular files are read.
 */
export async function selectFiles(
  root: string,
  files: readonly string[],
  selection: Selection,
): Promise<SelectedFiles> {
  const isSelected = compileSelection(selection)
  const wanted = files.filter((file) => isSelected(relative(root, file).split(sep).join('/')))
  const checked = await Promise.all(
    wanted.map(async (file) => ({ file, reason: await whyNot(file) })),
  )
  return {
    files: checked.flatMap(({ file, reason }) => (reason === undefined ? [file] : [])),
    skipped: checked.flatMap(({ file, reason }) =>
      reason === undefined ? [] : [{ location: file, reason }],
    ),
  }
}

/** Why a file cannot be ingested; undefined when it can. */
async function whyNot(file: string): Promise<string | undefined> {
  if (formatOfName(file) === undefined)
    return `no reader for ${extname(file) || 'this kind of'} files`
  const isRegular = (await lstat(file).catch(() => undefined))?.isFile() === true
  return isRegular ? undefined : 'not a regular file'
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
  return listFiles(root, ['--cached', '--others', '--deduplicate']).catch(() => undefined)
}

/** Files that git ignores; a folder that it ignores as a whole is one entry. */
async function gitIgnored(root: string): Promise<string[]> {
  return listFiles(root, ['--others', '--ignored', '--directory'])
}

async function listFiles(root: string, options: readonly string[]): Promise<string[]> {
  const { stdout } = await run(
    'git',
    ['-C', root, 'ls-files', '-z', '--exclude-standard', ...options],
    { maxBuffer: 256 * 1024 * 1024 },
  )
  return stdout
    .split('\0')
    .filter(Boolean)
    .map((file) => join(root, file))
}

async function wholeTree(root: string): Promise<Tree> {
  const files: string[] = []
  const left: SkippedFile[] = []
  const pending = [root]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      const reason = whyNotEntered(entry.name, entry.isDirectory())
      if (reason !== undefined) left.push({ location: path, reason })
      else if (entry.isDirectory()) pending.push(path)
      else files.push(path)
    }
  }
  return { files, left }
}

function whyNotEntered(name: string, isFolder: boolean): string | undefined {
  if (name.startsWith('.')) return 'hidden'
  return isFolder && SKIPPED.has(name) ? 'folder of built or foreign files' : undefined
}
