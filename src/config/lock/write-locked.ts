import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { AcceptedLists } from '../../gateway/tools/accepted.ts'
import { changeFile } from '../history/change-file.ts'
import type { Workspace } from '../paths.ts'
import { parseJson } from '../parse-text.ts'
import { textOf } from '../text-of.ts'
import { trustNamed } from '../trust/record-trust.ts'
import { addressOf } from './apply-lock.ts'
import { lockFileOf, lockText, parseLock, withServer } from './lock-file.ts'
import { EMPTY_LOCK, type Lock, type LockedPackage } from './lock-schema.ts'

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
  accepted: ReadonlyMap<string, AcceptedLists>,
): Promise<string> {
  const path = lockFileOf(file)
  const content = parseJson(textOf(file))
  const entries = isObject(content) && isObject(content['mcpServers']) ? content['mcpServers'] : {}
  const edit = (text: string) => lockedText(text, { path, entries, accepted })
  await changeFile(place, { file: path, by, reason, edit })
  trustNamed(place, file, path)
  return path
}

interface NewlyAccepted {
  /** The path of the lock. */
  readonly path: string
  /** The entries of its servers file. */
  readonly entries: JsonObject
  readonly accepted: ReadonlyMap<string, AcceptedLists>
}

/** Returns the text of a lock with what was accepted, and without servers that have no entry. */
export function lockedText(text: string, { path, entries, accepted }: NewlyAccepted): string {
  let lock: Lock = text === '' ? EMPTY_LOCK : parseLock(text, path)
  for (const name of Object.keys(lock.servers))
    if (!Object.hasOwn(entries, name)) lock = withServer(lock, name)
  for (const [name, lists] of accepted) {
    const entry = entries[name]
    const address = addressOf(isObject(entry) ? entry : {})
    const before = lock.servers[name]?.package
    const now = packageOf(address.command, before)
    lock = withServer(withServer(lock, name), name, {
      ...lists,
      ...address,
      ...(now && { package: now }),
    })
  }
  return lockText(lock)
}

/** An exact version in the command is what runs; else what was found out before may still be. */
function packageOf(
  command: readonly string[] | undefined,
  before: LockedPackage | undefined,
): LockedPackage | undefined {
  const word = command?.slice(1).find((one) => !one.startsWith('-')) ?? ''
  const [, name = '', version = ''] = /^(@?[^@]+)@(\d+\.\d+\.\d+[\w.+-]*)$/.exec(word) ?? []
  if (before && (version === '' || (before.name === name && before.version === version)))
    return before
  return version === '' ? undefined : { name, version }
}
