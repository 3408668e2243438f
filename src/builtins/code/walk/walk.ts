import { lstatSync, realpathSync, statSync } from 'node:fs'
import { isInside } from '../../../base/files/paths.ts'
import { codeOf } from '../../../base/errors.ts'
import { IgnoreRules, type IgnoreOptions } from './ignore-rules.ts'
import { FolderSorter, type Held, type Step, type WalkMemory } from './sort-folders.ts'

export interface WalkedFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

/** Why a file or a folder is not in the index; `rule` says which rule or limit. */
export interface Excluded {
  readonly path: string
  readonly reason:
    | 'ignored'
    | 'too_large'
    | 'binary'
    | 'minified'
    | 'unsupported'
    | 'unreadable'
    | 'outside'
    | 'limit'
  readonly rule?: string
}

export interface WalkOptions extends IgnoreOptions {
  /** Only files that match one of these patterns, of whatever kind they are. */
  readonly include?: readonly string[]
  readonly maxFileBytes?: number
  readonly maxFiles?: number
  /** Kept from walk to walk, so that folders in which nothing came or went are not sorted again. */
  readonly memory?: WalkMemory
}

export interface WalkLimits {
  readonly maxFileBytes: number
  readonly maxFiles: number
}

const WALK_LIMITS: WalkLimits = { maxFileBytes: 1_000_000, maxFiles: 500_000 }

export interface WalkReport {
  excluded(entry: Excluded): void
  folder?(path: string): void
}

/**
 * Every file under `root` that belongs in the index, in a stable order.
 * A generator, so that the caller decides how long it may hold the event loop.
 */
export function* walk(
  root: string,
  options: WalkOptions,
  report: WalkReport,
): Generator<WalkedFile> {
  const known = options.memory?.folders.get('')?.rules
  yield* new Walker(root, options, report).files(IgnoreRules.forRoot(root, options, known))
}

/**
 * The files of some folders that an earlier walk has been in, and of the folders that have come in them.
 * What else is below them is not looked at.
 */
export function* walkFolders(
  root: string,
  folders: Iterable<string>,
  options: WalkOptions & { readonly memory: WalkMemory },
  report: WalkReport,
): Generator<WalkedFile> {
  const known = options.memory.folders
  const walker = new Walker(root, options, report)
  const rules = IgnoreRules.forRoot(root, options, known.get('')?.rules)
  for (const folder of folders) {
    const held = known.get(folder)
    const above = folder === '' ? rules : known.get(parentOf(folder))?.rules
    if (held && above)
      yield* walker.files(above, { path: folder, onlyTracked: held.onlyTracked, skip: known })
  }
}

function parentOf(folder: string): string {
  return folder.slice(0, Math.max(0, folder.lastIndexOf('/')))
}

interface Start {
  readonly path: string
  readonly onlyTracked: boolean
  /** Folders that are not entered. */
  readonly skip?: ReadonlyMap<string, unknown>
}

interface OpenFolder {
  readonly steps: readonly Step[]
  readonly rules: IgnoreRules
  next: number
}

class Walker {
  readonly #root: string
  readonly #realRoot: string
  readonly #report: WalkReport
  readonly #sorter: FolderSorter
  readonly #limits: WalkLimits
  #files = 0

  constructor(root: string, options: WalkOptions, report: WalkReport) {
    this.#root = root
    this.#realRoot = realpathSync(root)
    this.#report = report
    this.#sorter = new FolderSorter(root, options)
    this.#limits = {
      maxFileBytes: options.maxFileBytes ?? WALK_LIMITS.maxFileBytes,
      maxFiles: options.maxFiles ?? WALK_LIMITS.maxFiles,
    }
  }

  /** One loop over a stack of open folders: generators inside generators would cost at every level, for every file. */
  *files(
    rules: IgnoreRules,
    { path, onlyTracked, skip }: Start = { path: '', onlyTracked: false },
  ): Generator<WalkedFile> {
    const open = [this.#open(path, { rules, onlyTracked })]
    for (let folder = open.at(-1); folder; folder = open.at(-1)) {
      const step = folder.steps[folder.next++]
      if (!step) {
        open.pop()
      } else if (step.kind === 'folder') {
        if (skip?.has(step.path)) continue
        open.push(this.#open(step.path, { rules: folder.rules, onlyTracked: step.onlyTracked }))
      } else {
        const file = this.#file(step.path, step.kind === 'link')
        if (file) yield file
      }
    }
  }

  #open(path: string, held: Held): OpenFolder {
    try {
      const { steps, rules, excluded } = this.#sorter.sort(path, held)
      this.#report.folder?.(path)
      for (const entry of excluded) this.#report.excluded(entry)
      return { steps, rules, next: 0 }
    } catch (error) {
      this.#exclude(`${path}/`, 'unreadable', codeOf(error) ?? 'unknown')
      return { steps: [], rules: held.rules, next: 0 }
    }
  }

  #file(path: string, linked: boolean): WalkedFile | undefined {
    const { maxFiles } = this.#limits
    if (this.#files >= maxFiles) return this.#exclude(path, 'limit', `more than ${maxFiles} files`)
    const file = this.#stat(path, linked)
    if (file) this.#files++
    return file
  }

  /** A linked file is read where it points, as long as that is inside the root; linked folders are not followed. */
  #stat(path: string, linked: boolean): WalkedFile | undefined {
    const absolute = `${this.#root}/${path}`
    try {
      if (linked && !this.#inside(realpathSync(absolute)))
        return this.#exclude(path, 'outside', 'symbolic link')
      const stat = linked ? statSync(absolute) : lstatSync(absolute)
      if (!stat.isFile()) return this.#exclude(path, 'unsupported', 'not a plain file')
      if (stat.size > this.#limits.maxFileBytes) {
        return this.#exclude(
          path,
          'too_large',
          `${stat.size} bytes, limit ${this.#limits.maxFileBytes}`,
        )
      }
      return { path, size: stat.size, mtimeMs: stat.mtimeMs }
    } catch (error) {
      return this.#exclude(path, 'unreadable', codeOf(error) ?? 'unknown')
    }
  }

  #inside(real: string): boolean {
    return isInside(real, this.#realRoot)
  }

  #exclude(path: string, reason: Excluded['reason'], rule?: string): undefined {
    this.#report.excluded(rule === undefined ? { path, reason } : { path, reason, rule })
  }
}
