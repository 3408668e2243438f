import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { indexedFile } from '../../base/git/tracked-files.ts'
import { FILE_NAMES } from '../paths.ts'
import { type TrustList, realPath } from './trust-list.ts'

/**
 * How a file of a folder that the person has called theirs got content that nobody has looked at:
 * `saved` by a program of the person, or brought by git; `changing` while git works in the folder.
 */
export type OwnChange = 'saved' | 'by git' | 'changing'

/**
 * Returns undefined where the folder is not the person's own. What git has brought is told apart by
 * its index: that has changed with the file, whereas an editor leaves it alone.
 */
export function ownChange(path: string, { files, folders }: TrustList): OwnChange | undefined {
  const known = realPath(path)
  const place = dirname(known)
  const isNamed = Object.values(FILE_NAMES).includes(basename(known))
  const own = folders.find((folder) => [folder.path, join(folder.path, 'config')].includes(place))
  if (!own || !isNamed || ![own.path, place, known].every(isOnlyOurs)) return undefined
  const indexed = indexedFile(known)
  if (indexed === 'untracked') return 'saved'
  if (indexed === 'changing') return 'changing'
  if (indexed === 'unknown') return 'by git'
  const isKnown = files.some(
    (entry) =>
      entry.path === known && entry.decision === 'trusted' && entry.git?.includes(indexed.id),
  )
  return isKnown ? 'saved' : 'by git'
}

/** Returns the ids that git may give a trusted file: those of its text, and what the index holds. */
export function gitIdsOf(path: string, text: string): readonly string[] {
  const indexed = indexedFile(realPath(path))
  const texts = new Set([text, text.replaceAll('\r\n', '\n')])
  const ids = [...texts].flatMap((each) => ['sha1', 'sha256'].map((kind) => gitId(each, kind)))
  return [...ids, ...(typeof indexed === 'object' ? [indexed.id] : [])]
}

function gitId(text: string, algorithm: string): string {
  return createHash(algorithm)
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')
}

/** Whether nobody else may write a file or folder; a link may lead to one that others write. */
export function isOnlyOurs(path: string): boolean {
  const user = process.getuid?.()
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat || stat.isSymbolicLink()) return false
  if (user === undefined) return true
  // A group with the number of its user has no other members.
  const others = stat.gid === stat.uid ? 0o002 : 0o022
  return stat.uid === user && (stat.mode & others) === 0
}
