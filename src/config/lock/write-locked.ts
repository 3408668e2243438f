import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { AcceptedLists } from '../../gateway/tools/accepted.ts'
import type { LockedPackage } from '../../gateway/tools/locked-package.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { changeFile } from '../history/change-file.ts'
import type { Workspace } from '../paths.ts'
import { parseJson } from '../parse-text.ts'
import { textOf } from '../text-of.ts'
import { trustNamed } from '../trust/record-trust.ts'
import { addressOf, lockedPackageFor } from './apply-lock.ts'
import { lockFileOf, lockText, parseLock, withServer } from './lock-file.ts'
import { EMPTY_LOCK, type Lock, type LockedServer } from './lock-schema.ts'

/** What was accepted of a server, with the package that it was then. */
export interface AcceptedServer extends AcceptedLists {
  readonly package?: LockedPackage | undefined
}

export interface LockChange {
  readonly place: Workspace
  /** The servers file, beside which the lock is. */
  readonly file: string
  readonly by: string
  readonly reason: string
}

/**
 * Writes what was accepted of these servers to the lock beside their file, with their command or
 * address as the file has it. Servers that are no longer in the file are removed. A lock that was
 * trusted stays trusted.
 */
export async function writeLockedServer(
  { place, file, by, reason }: LockChange,
  accepted: ReadonlyMap<string, AcceptedServer>,
): Promise<string> {
  const path = lockFileOf(file)
  const content = parseJson(textOf(file))
  const entries = isObject(content) && isObject(content['mcpServers']) ? content['mcpServers'] : {}
  const edit = (text: string) => lockedText(text, { path, entries, accepted })
  await changeFile(place, { file: path, by, reason, edit })
  trustNamed(place, file, path)
  return path
}

/** Takes a server that was removed from its file out of the lock beside it. */
export function unlockServer(place: Workspace, file: string, name: string): void {
  const path = lockFileOf(file)
  const text = textOf(path)
  if (text === '') return
  const lock = parseLock(text, path)
  if (!Object.hasOwn(lock.servers, name)) return
  replaceFile(path, lockText(withServer(lock, name)))
  trustNamed(place, file, path)
}

interface NewlyAccepted {
  /** The path of the lock. */
  readonly path: string
  /** The entries of its servers file. */
  readonly entries: JsonObject
  readonly accepted: ReadonlyMap<string, AcceptedServer>
}

/** Returns the text of a lock with what was accepted, and without servers that have no entry. */
export function lockedText(text: string, { path, entries, accepted }: NewlyAccepted): string {
  let lock: Lock = text === '' ? EMPTY_LOCK : parseLock(text, path)
  for (const name of Object.keys(lock.servers))
    if (!Object.hasOwn(entries, name)) lock = withServer(lock, name)
  for (const [name, { package: found, ...lists }] of accepted) {
    const entry = entries[name]
    const address = addressOf(isObject(entry) ? entry : {})
    const now = found ?? packageBefore(address.command, lock.servers[name])
    lock = withServer(withServer(lock, name), name, {
      ...lists,
      ...address,
      ...(now && { package: now }),
    })
  }
  return lockText(lock)
}

/** What was found out before still is, unless the entry names another version now. */
function packageBefore(
  [command = '', ...args]: readonly string[] = [],
  before: LockedServer | undefined,
): LockedPackage | undefined {
  return lockedPackageFor({ command, args }, before)
}
