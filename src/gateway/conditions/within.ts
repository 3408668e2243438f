import { foldCase } from '../../base/text/fold-case.ts'

/** What a keyword says of a text: `unsure` where programs may read the text in different ways. */
export type Answer = 'yes' | 'no' | 'unsure'

/** Control characters, and characters that nobody sees. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/**
 * Compiles the keyword `within`: whether a path is one of these folders, or below one. Only a whole
 * and plain path is judged: programs differ in how they read `..`, `~`, `%2e`, `\` or `//`, and some
 * file systems do not tell upper case from lower. Symbolic links are not seen.
 */
export function compileWithin(folders: readonly string[]): (path: string) => Answer {
  const roots = folders.map(withoutLastSlash)
  const folded = roots.map(fold)
  return (path) => {
    const lax = laxForm(path)
    if (lax === undefined) return 'unsure'
    const isWithin = roots.some((root) => isBelow(path, root))
    if (isWithin === folded.some((root) => isBelow(lax, root))) return isWithin ? 'yes' : 'no'
    return 'unsure'
  }
}

/** The last path, since many conditions of one file judge the same argument. */
let last: { readonly path: string; readonly lax: string | undefined } = { path: '', lax: undefined }

/** Returns a path as `fold` does; undefined if not both of them are plain. */
function laxForm(path: string): string | undefined {
  if (path === last.path) return last.lax
  const lax = isPlainPath(path) ? fold(path) : undefined
  last = { path, lax: lax === undefined || lax === path || isPlainPath(lax) ? lax : undefined }
  return last.lax
}

const MAX_PATH = 4096
const UNCLEAR = /[\\%]|\/\/|\/~|[. ](?:\/|$)/

/** Whether a path starts at the root and has only names that mean themselves. */
export function isPlainPath(path: string): boolean {
  return (
    path.startsWith('/') && path.length <= MAX_PATH && !UNCLEAR.test(path) && !INVISIBLE.test(path)
  )
}

/** Returns the path as the file system that tells the fewest names apart would have it. */
function fold(path: string): string {
  return foldCase(path.normalize('NFKC'))
}

function withoutLastSlash(folder: string): string {
  return folder.endsWith('/') ? folder.slice(0, -1) : folder
}

function isBelow(path: string, root: string): boolean {
  return path.startsWith(root) && (path.length === root.length || path[root.length] === '/')
}
