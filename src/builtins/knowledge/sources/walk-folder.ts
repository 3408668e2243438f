import { lstat, readFile, stat } from 'node:fs/promises'
import { basename, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { hasCode } from '../../../base/errors.ts'
import { compilePathGlob } from '../../../base/text/glob.ts'
import { DocumentError } from '../documents/document-error.ts'
import { formatOfName } from '../documents/formats.ts'
import { type SkippedFile, listFiles } from './list-files.ts'
import type { SourceItem } from './source-item.ts'

export interface Selection {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
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
  const { files, left } = await listFiles(root)
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
