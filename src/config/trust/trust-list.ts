import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import { isObject } from '../../base/json/json.ts'
import { type Workspace, dataFolder } from '../paths.ts'
import type { OwnChange } from './own-folders.ts'

/** `changed`: other content at this path was trusted. `declined`: a person refused this content. */
export type Verdict = 'trusted' | 'changed' | 'declined' | 'unknown'

/** What a person decided about the content of a file. */
export interface Judgement {
  readonly verdict: Verdict
  /** The newest trusted content, where other content of the file is trusted than what it has now. */
  readonly trusted?: TrustEntry | undefined
  /** The files that trusted content names, with the hash of their text; undefined for any text. */
  readonly names?: TrustEntry['names']
  /** Set if nobody has decided about the content, in a folder that the person has called theirs. */
  readonly change?: OwnChange | undefined
}

/** Whether a file of a working folder may be used, given the text that was read from it. */
export type Trust = (path: string, text: string) => Judgement

/** What a person decided about one content of one file. */
export interface TrustEntry {
  readonly path: string
  readonly sha256: string
  readonly decision: 'trusted' | 'declined'
  readonly at: string
  /**
   * The newest trusted text of rules and settings: when the gateway starts with another text, what
   * that allows in addition must wait, although no process remembers the trusted text.
   */
  readonly text?: string | undefined
  /** The files that a servers file names, with the hash of their text. */
  readonly names?: Readonly<Record<string, string>> | undefined
  /** The ids that git may give the file while nothing but trusted content is in it. */
  readonly git?: readonly string[] | undefined
}

/** A folder in which what the person saves is trusted, wherever git has not brought it. */
interface OwnFolder {
  readonly path: string
  readonly at: string
}

export interface TrustList {
  readonly files: readonly TrustEntry[]
  readonly folders: readonly OwnFolder[]
}

/** For commands that check files without applying them. */
export const trustEverything: Trust = () => ({ verdict: 'trusted' })

export function trustListFile(place: Workspace): string {
  return join(dataFolder(place), 'trusted.json')
}

/** Returns the decision about one content of one file. */
export function entryOf(
  path: string,
  text: string,
  entries: readonly TrustEntry[],
): TrustEntry | undefined {
  const { path: known, sha256 } = identify(path, text)
  return entries.findLast((entry) => entry.path === known && entry.sha256 === sha256)
}

/** Returns the newest decision to trust some content of a file. */
export function lastTrusted(path: string, entries: readonly TrustEntry[]): TrustEntry | undefined {
  const known = realPath(path)
  return entries.findLast((entry) => entry.path === known && entry.decision === 'trusted')
}

export function verdictOn(path: string, text: string, entries: readonly TrustEntry[]): Verdict {
  const same = entryOf(path, text, entries)
  if (same !== undefined) return same.decision
  return lastTrusted(path, entries) === undefined ? 'unknown' : 'changed'
}

/** Identifies a file by its real path and content; the same text elsewhere is another file. */
export function identify(path: string, text: string): Pick<TrustEntry, 'path' | 'sha256'> {
  return {
    path: realPath(path),
    sha256: createHash('sha256').update(text).digest('hex'),
  }
}

/** Resolves only the folder, so that a deleted file still matches its entry in the list. */
export function realPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}

/** Returns an empty list, which trusts nothing, if the file cannot be read. */
export function readTrust(place: Workspace): TrustList {
  try {
    const content: unknown = JSON.parse(readFoundFile(trustListFile(place)) ?? '')
    const { files, folders } = isObject(content) ? content : {}
    return {
      files: Array.isArray(files) ? files.filter(isEntry) : [],
      folders: Array.isArray(folders) ? folders.filter(isFolder) : [],
    }
  } catch {
    return { files: [], folders: [] }
  }
}

function isFolder(value: unknown): value is OwnFolder {
  return isObject(value) && typeof value['path'] === 'string' && typeof value['at'] === 'string'
}

function isEntry(value: unknown): value is TrustEntry {
  return (
    isObject(value) &&
    typeof value['path'] === 'string' &&
    typeof value['sha256'] === 'string' &&
    typeof value['at'] === 'string' &&
    (value['decision'] === 'trusted' || value['decision'] === 'declined') &&
    (value['text'] === undefined || typeof value['text'] === 'string') &&
    (value['names'] === undefined || isObject(value['names'])) &&
    (value['git'] === undefined || Array.isArray(value['git']))
  )
}
