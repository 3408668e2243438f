import { realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Workspace } from '../paths.ts'
import { realPath, trustListFile } from '../trust/trust-list.ts'
import { isElsewhere, writeContent } from './config-files.ts'
import { type ChangeInfo, type RecordedChange, recordChanges } from './record-changes.ts'
import { FIRST_VERSION, type Version, contentAt } from './version-store.ts'

/**
 * Restores the files of the person and of this folder as of a version, byte for byte; that is a
 * version too. What was decided about the files of other folders stays.
 */
export async function rollback(
  place: Workspace,
  version: number,
  info: Omit<ChangeInfo, 'files'>,
): Promise<RecordedChange<void>> {
  return recordChanges(place, info, (store) => {
    const versions = store.all()
    mustExist(version, versions)
    const trusted = realPath(trustListFile(place))
    const paths = new Set(versions.flatMap(({ files }) => files.map(({ path }) => path)))
    // The decisions come first, so that a running gateway finds no file that is not trusted.
    const sorted = [...paths].toSorted((a, b) => Number(b === trusted) - Number(a === trusted))
    for (const path of sorted) {
      if (isElsewhere(path, place)) continue
      const content = contentAt(versions, path, version)
      if (content === undefined) continue
      const now = contentAt(versions, path, Infinity) ?? null
      const restored = path === trusted ? withOtherFolders(content, now, place) : content
      writeContent(path, restored, place)
    }
  })
}

function mustExist(version: number, versions: readonly Version[]): void {
  const first = (versions[0]?.version ?? FIRST_VERSION + 1) - 1
  const last = versions.at(-1)?.version ?? FIRST_VERSION
  if (version >= first && version <= last) return
  throw new GatewayError('INVALID_PARAMS', `There is no version ${version}`, {
    hint: `There are versions ${first} to ${last}: \`portolan history\` shows what each changed.`,
  })
}

/** Returns the trust list as of then, with what is decided now about the files of other folders. */
function withOtherFolders(
  then: Buffer | null,
  now: Buffer | null,
  place: Workspace,
): Buffer | null {
  const isHere = ({ path }: JsonObject) =>
    !isElsewhere(String(path), place) && !isPack(String(path))
  const ownHere = ({ path }: JsonObject) => path === realpathSync(place.cwd)
  const [files, folders] = [
    merged('files', then, now, isHere),
    merged('folders', then, now, ownHere),
  ]
  if (then === null && files.length + folders.length === 0) return null
  const list = { files, ...(folders.length > 0 && { folders }) }
  const text = `${JSON.stringify(list, null, 2)}\n`
  return isDeepStrictEqual(readJson(then), list) ? then : Buffer.from(text)
}

/** Returns what was decided here then, and what is decided elsewhere now. */
function merged(
  key: 'files' | 'folders',
  then: Buffer | null,
  now: Buffer | null,
  isHere: (entry: JsonObject) => boolean,
): JsonObject[] {
  const others = entriesOf(key, now).filter((entry) => !isHere(entry))
  return [...others, ...entriesOf(key, then).filter(isHere)]
}

/** Whether an entry is about an API pack, whose files no version holds. */
function isPack(path: string): boolean {
  return basename(dirname(path)) === 'apis'
}

function entriesOf(key: 'files' | 'folders', content: Buffer | null): JsonObject[] {
  const list = readJson(content)
  const entries = isObject(list) ? list[key] : undefined
  return Array.isArray(entries) ? entries.filter(isObject) : []
}

function readJson(content: Buffer | null): unknown {
  return content === null ? undefined : JSON.parse(content.toString('utf8'))
}
