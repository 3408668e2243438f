import { execFile } from 'node:child_process'
import { lstat, readFile, readdir, stat } from 'node:fs/promises'
import { basename, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { codeOf, hasCode } from '../../../base/errors.ts'
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

/** The selected files of a folder: those that are documents, and those that are not. */
export interface SelectedFiles {
  readonly files: readonly string[]
  readonly skipped: readonly SkippedFile[]
}

export interface FoundDocuments {
  /** The folder that was searched; undefined for a single file. */
  readonly folder?: string
  readonly items: readonly SourceItem[]
  readonly skipped: readonly SkippedFile[]
}

/** Returns the documents at a path: one file, or all files of a folder that git does not ignore. */
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

/** Whether a location names a file that no longer exists. */
export async function isGone(location: string): Promise<boolean> {
  if (!isAbsolute(location)) return false
  return lstat(location).then(
    () => false,
    (error: unknown) => hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR'),
  )
}

/** The files of a folder, and the entries that were left out. */
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
 * Selects the documents among the files of a folder. Only regular files are read, because a link
 * may point outside the folder.
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

/** Returns why a file cannot be ingested; undefined if it can. */
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

/** Compiles a test of whether a path with forward slashes is included and not excluded. */
export function compileSelection({ include, exclude }: Selection): (path: string) => boolean {
  const wanted = include?.map(compilePathGlob) ?? []
  const unwanted = exclude?.map(compilePathGlob) ?? []
  return (path) =>
    !unwanted.some((matches) => matches(path)) &&
    (wanted.length === 0 || wanted.some((matches) => matches(path)))
}

/** Lists files that git does not ignore; undefined outside a work tree or without git. */
export async function gitFiles(root: string): Promise<string[] | undefined> {
  return listFiles(root, ['--cached', '--others', '--deduplicate']).catch(() => undefined)
}

/** Lists the files that git ignores; a folder that is ignored as a whole is one entry. */
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
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (folder === root) throw error
      left.push({ location: folder, reason: `cannot be read: ${codeOf(error)}` })
      return []
    })
    for (const entry of entries) {
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
