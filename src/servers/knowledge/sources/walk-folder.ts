import { execFile } from 'node:child_process'
import { lstat, readFile, readdir, stat } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
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
  const selected = files.filter(
    (file) => formatOfName(file) !== undefined && isSelected(relative(root, file), selection),
  )
  return (await regularFiles(selected)).toSorted().map((file) => fileItem(file))
}

/** A link may point anywhere, also out of the folder: only files that really lie in it are taken. */
export async function regularFiles(files: readonly string[]): Promise<string[]> {
  const kept = await Promise.all(
    files.map(async (file) => ((await lstat(file).catch(() => undefined))?.isFile() ? [file] : [])),
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

export function isSelected(path: string, { include, exclude }: Selection): boolean {
  const name = path.split(sep).join('/')
  if (exclude?.some((pattern) => matches(name, pattern))) return false
  return !include || include.length === 0 || include.some((pattern) => matches(name, pattern))
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

function matches(name: string, pattern: string): boolean {
  return globPattern(pattern).test(name)
}

/** `*` within a folder, `**` across folders, `?` one letter; a pattern without a slash matches the name anywhere. */
export function globPattern(pattern: string): RegExp {
  const anywhere = pattern.includes('/') ? '' : '(?:.*/)?'
  const body = pattern.replace(/\*\*\/|\*\*|\*|\?|[\\^$.|+()[\]{}]/g, (sign) => {
    if (sign === '**/') return '(?:.*/)?'
    if (sign === '**') return '.*'
    if (sign === '*') return '[^/]*'
    return sign === '?' ? '[^/]' : `\\${sign}`
  })
  return new RegExp(`^${anywhere}${body}$`)
}
