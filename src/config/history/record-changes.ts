import { messageOf } from '../../base/errors.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { withLock } from '../../identity/safe-file.ts'
import { type Workspace, userFile } from '../paths.ts'
import { realPath } from '../trust/trust-list.ts'
import {
  type Contents,
  configFiles,
  isElsewhere,
  isSameContent,
  readContents,
  writeContent,
} from './config-files.ts'
import { BY_HAND } from './follow-hand-edits.ts'
import { type FileVersion, type Version, VersionStore } from './version-store.ts'

export interface ChangeInfo {
  /** Who makes the change. */
  readonly by: string
  readonly reason: string
  /** Files that may change, besides those of the data folder and of the working folder. */
  readonly files?: readonly string[]
  /** What was in files that no version knows yet, before they were changed by hand. */
  readonly known?: Contents
}

export interface RecordedChange<Result> {
  readonly result: Result
  /** Undefined if nothing has changed. */
  readonly version: Version | undefined
}

/**
 * Runs `work` while no other command or page of this data folder changes files, and records what it
 * has changed as the next version. What people have changed by hand since the last version becomes
 * one of its own before.
 */
export async function recordChanges<Result>(
  place: Workspace,
  info: ChangeInfo,
  work: (store: VersionStore) => Promise<Result> | Result,
): Promise<RecordedChange<Result>> {
  return withLock(userFile('mcp', place), async () => {
    const store = await VersionStore.open(place)
    const start = await noteHandEdits(store, place, info)
    // A part of the work may be done although it fails.
    const [done] = await Promise.allSettled([(async () => work(store))()])
    const after = readContents([...start.before.keys(), ...configFiles(place)], place)
    const recorded = record(store, info, start, after)
    if (done.status === 'fulfilled') return { result: done.value, version: await recorded }
    await recorded.catch(() => undefined)
    throw done.reason
  })
}

interface Start {
  readonly place: Workspace
  readonly before: Contents
  /** The files that no version knows yet. */
  readonly fresh: readonly FileVersion[]
}

/** Returns the contents before a change. */
async function noteHandEdits(
  store: VersionStore,
  place: Workspace,
  { files = [], known: seen = new Map() }: ChangeInfo,
): Promise<Start> {
  const recorded = new Map(
    store
      .all()
      .flatMap((version) => version.files)
      .filter(({ path }) => !isElsewhere(path, place))
      .map(({ path, after }) => [path, after]),
  )
  const known = new Map([...seen, ...recorded])
  const before = readContents(
    new Set([...known.keys(), ...configFiles(place), ...files.map(realPath)]),
    place,
  )
  const edited = [...known]
    .map(([path, content]) => ({ path, before: content, after: before.get(path) ?? null }))
    .filter(isChanged)
  if (edited.length > 0) await store.add({ by: BY_HAND, reason: 'changed by hand', files: edited })
  const fresh = [...before]
    .filter(([path, content]) => content !== null && !recorded.has(path))
    .map(([path, content]) => ({ path, before: content, after: content }))
  return { place, before, fresh }
}

/** Adds a version if something has changed; undoes the change if that is not possible. */
async function record(
  store: VersionStore,
  { by, reason }: ChangeInfo,
  { place, before, fresh }: Start,
  after: Contents,
): Promise<Version | undefined> {
  const files = [...after]
    .map(([path, content]) => ({ path, before: before.get(path) ?? null, after: content }))
    .filter(isChanged)
  if (files.length === 0) return undefined
  const unchanged = fresh.filter(({ path }) => !files.some((file) => file.path === path))
  try {
    return await store.add({ by, reason, files: [...files, ...unchanged] })
  } catch (cause) {
    for (const file of files) writeContent(file.path, file.before, place)
    throw new GatewayError(
      'SERVER_UNAVAILABLE',
      `The change cannot be recorded, so it was undone: ${messageOf(cause)}`,
      { hint: 'Make the data folder writable or free some space, and run it again.', cause },
    )
  }
}

export function isChanged({ before, after }: FileVersion): boolean {
  return !isSameContent(before, after)
}
