import { basename } from 'node:path'
import { hide } from '../../base/secrets/secrets.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { parseSecrets } from '../secrets/secrets-file.ts'
import { lineDiff } from '../../base/text/line-diff.ts'
import { isChanged } from './record-changes.ts'
import { FIRST_VERSION, type Version } from './version-store.ts'

/** A version for people, and as JSON. */
export interface VersionSummary {
  readonly version: number
  readonly created_at: string | null
  readonly author: string
  readonly message: string
  readonly files: readonly { readonly path: string; readonly diff: readonly string[] }[]
}

/** The content before the first change, which nobody made. */
export const BEFORE_ALL: VersionSummary = {
  version: FIRST_VERSION,
  created_at: null,
  author: '',
  message: 'before the first change',
  files: [],
}

export function describeVersion({ version, at, by, reason, files }: Version): VersionSummary {
  const changed = files.filter(isChanged).map(({ path, before, after }) => ({
    path,
    diff: diffOf(path, before?.toString('utf8') ?? '', after?.toString('utf8') ?? ''),
  }))
  return { version, created_at: at, author: by, message: reason, files: changed }
}

/** Returns the changed lines of a file; of stored secrets only the names, and no other secret. */
export function diffOf(path: string, before: string, after: string): string[] {
  const name = basename(path)
  if (name === 'secrets.env') return diffOfSecrets(parseSecrets(before), parseSecrets(after))
  // In a data folder that portolan.yaml has moved, the file is recorded as it is.
  if (name === 'secrets.sealed') return ['~secrets (other values)']
  if (name === 'trusted.json') return lineDiff(decisions(before), decisions(after), 0)
  return lineDiff(before, after).map(hide)
}

function diffOfSecrets(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((name) => {
    if (before[name] === after[name]) return []
    if (!Object.hasOwn(before, name)) return [`+${name}`]
    return Object.hasOwn(after, name) ? [`~${name} (another value)`] : [`-${name}`]
  })
}

/** Returns one line for each decision about a folder, or about a file of one. */
function decisions(text: string): string {
  const content = readJson(text)
  const { folders, files } = isObject(content) ? content : {}
  const lines = [
    ...objectsIn(folders).map(({ path }) => ['own folder', path]),
    ...objectsIn(files).map(({ decision, path, sha256 }) => [
      decision,
      path,
      String(sha256).slice(0, 12),
    ]),
  ]
  return lines.map((words) => words.map(String).join(' ')).join('\n')
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
