import { join } from 'node:path'
import { codeOf } from '../../../../base/errors.ts'
import {
  type WalkOptions,
  type WalkReport,
  type WalkedFile,
  walk,
  walkFolders,
} from '../../walk/walk.ts'
import { TimeSlice } from '../time-slice.ts'
import type { ProjectIndex } from './project-index.ts'

export interface RefreshReport {
  readonly added: number
  readonly updated: number
  readonly removed: number
  /** The folders to watch: all of them, or only the new ones after `refreshFolders`. */
  readonly folders: readonly string[]
}

export interface RefreshOptions {
  readonly signal?: AbortSignal | undefined
  /** Called from time to time with the number of files done and, if known, the total. */
  readonly progress?: ((done: number, total?: number) => void) | undefined
}

/**
 * Makes the index equal to the working tree: checks every file, reads those that may have changed.
 * Stops between two files when aborted; files indexed by then are complete.
 */
export async function refresh(
  index: ProjectIndex,
  options: RefreshOptions = {},
): Promise<RefreshReport> {
  const slice = new TimeSlice()
  const before = index.files.size
  const present = new Set<string>()
  const counts = { added: 0, updated: 0, removed: 0 }
  const folders: string[] = []
  index.excluded.clear()
  for (const file of walkProject(index, folders)) {
    const outcome = take(index, file)
    if (outcome !== 'unreadable') present.add(file.path)
    if (outcome === 'added' || outcome === 'updated') counts[outcome]++
    if (slice.isOver) {
      options.progress?.(present.size, before > present.size ? before : undefined)
      await slice.yieldToLoop()
      options.signal?.throwIfAborted()
    }
  }
  counts.removed = dropAbsent(index, present)
  index.walked.keepOnly(new Set(folders))
  index.isPartial = false
  if (before === 0) await index.prepareGraph(slice) // The first search should not wait for it.
  options.progress?.(present.size, present.size)
  return { ...counts, folders }
}

/** Refreshes only the folders in which something changed, and new folders inside them. */
export async function refreshFolders(
  index: ProjectIndex,
  changed: ReadonlySet<string>,
  options: RefreshOptions,
): Promise<RefreshReport> {
  const slice = new TimeSlice()
  const counts = { added: 0, updated: 0, removed: 0 }
  const folders: string[] = []
  const { memory } = walkOptions(index)
  const before = new Map([...changed].map((path) => [path, memory.folders.get(path)?.steps ?? []]))
  index.excluded.forgetIn(changed)
  for (const file of walkFolders(index.project.root, changed, ...walkInto(index, folders))) {
    const outcome = take(index, file)
    if (outcome === 'added' || outcome === 'updated') counts[outcome]++
    if (slice.isOver) {
      await slice.yieldToLoop()
      options.signal?.throwIfAborted()
    }
  }
  for (const [path, steps] of before) {
    const now = new Set(memory.folders.get(path)?.steps.map((step) => step.path))
    for (const step of steps) if (!now.has(step.path)) counts.removed += dropBelow(index, step.path)
  }
  return { ...counts, folders: folders.filter((path) => !changed.has(path)) }
}

/** Drops a removed file, or all files of a removed folder; returns how many. */
function dropBelow(index: ProjectIndex, path: string): number {
  if (index.drop(path)) return 1
  index.excluded.forgetBelow(path)
  const { folders } = index.walked
  for (const folder of folders.keys())
    if (folder === path || folder.startsWith(`${path}/`)) folders.delete(folder)
  const below = [...index.files.keys()].filter((file) => file.startsWith(`${path}/`))
  for (const file of below) index.drop(file)
  return below.length
}

function dropAbsent(index: ProjectIndex, present: ReadonlySet<string>): number {
  const absent = [...index.files.keys()].filter((path) => !present.has(path))
  for (const path of absent) index.drop(path)
  return absent.length
}

function walkProject(index: ProjectIndex, folders: string[]): Generator<WalkedFile> {
  return walk(index.project.root, ...walkInto(index, folders))
}

/** Returns the options of a walk, and a report that notes what is excluded and which folders. */
function walkInto(index: ProjectIndex, folders: string[]) {
  const report: WalkReport = {
    excluded: (entry) => index.excluded.add(entry),
    folder: (path) => folders.push(path),
  }
  return [walkOptions(index), report] as const
}

function walkOptions({ project, identity, walked }: ProjectIndex) {
  const { git } = project
  return {
    ...identity.settings,
    gitDir: git?.commonDir,
    gitRoot: git?.root,
    gitIndex: git && join(git.gitDir, 'index'),
    memory: walked,
  } satisfies WalkOptions
}

function take(
  index: ProjectIndex,
  file: WalkedFile,
): ReturnType<ProjectIndex['take']> | 'unreadable' {
  try {
    return index.isSuspect(file) ? index.take(file) : 'unchanged'
  } catch (error) {
    index.excluded.add({ path: file.path, reason: 'unreadable', rule: codeOf(error) ?? 'unknown' })
    return 'unreadable'
  }
}
