import { closeSync, lstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { isInside } from '../../../base/files/paths.ts'
import { codeOf } from '../../../base/errors.ts'
import { IgnoreRules, type IgnoreOptions } from './ignore-rules.ts'
import { RulesTooCostly } from './matching-work.ts'
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
  /** Only files that match one of these patterns, whatever their language. */
  readonly include?: readonly string[]
  readonly maxFileBytes?: number
  readonly maxFiles?: number
  readonly maxTotalBytes?: number
  /** Kept between walks, so that folders without added or removed entries are not sorted again. */
  readonly memory?: WalkMemory
}

interface WalkLimits {
  readonly maxFileBytes: number
  readonly maxFiles: number
  /** Of all files together: thousands of links to one file take no room on the disk. */
  readonly maxTotalBytes: number
}

const WALK_LIMITS: WalkLimits = {
  maxFileBytes: 1_000_000,
  maxFiles: 500_000,
  maxTotalBytes: 2_000_000_000,
}

export interface WalkReport {
  excluded(entry: Excluded): void
  folder?(path: string): void
}

/**
 * Yields every file under `root` that belongs in the index, in a stable order. It is a generator,
 * so that the caller decides how long it may block the event loop.
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
 * Yields the files of some folders that an earlier walk visited, and of new folders inside them.
 * Known folders below them are not visited.
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
  readonly onlyTracked: Held['onlyTracked']
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
  readonly #scripts: WalkMemory['scripts']
  #files = 0
  #bytes = 0

  constructor(root: string, options: WalkOptions, report: WalkReport) {
    this.#root = root
    this.#realRoot = realpathSync(root)
    this.#report = report
    this.#sorter = new FolderSorter(root, options)
    this.#scripts = options.memory?.scripts ?? new Map()
    this.#limits = {
      maxFileBytes: options.maxFileBytes ?? WALK_LIMITS.maxFileBytes,
      maxFiles: options.maxFiles ?? WALK_LIMITS.maxFiles,
      maxTotalBytes: options.maxTotalBytes ?? WALK_LIMITS.maxTotalBytes,
    }
  }

  /** One loop over a stack of open folders: nested generators cost at each level for each file. */
  *files(
    rules: IgnoreRules,
    { path, onlyTracked, skip }: Start = { path: '', onlyTracked: undefined },
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
        if (!file) continue
        if (step.kind !== 'unnamed' || this.#isScript(file)) yield file
        else this.#exclude(step.path, 'unsupported')
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
      if (error instanceof RulesTooCostly) this.#exclude(`${path}/`, 'limit', error.message)
      else this.#exclude(`${path}/`, 'unreadable', codeOf(error) ?? 'unknown')
      return { steps: [], rules: held.rules, next: 0 }
    }
  }

  #file(path: string, linked: boolean): WalkedFile | undefined {
    const { maxFiles, maxTotalBytes } = this.#limits
    if (this.#files >= maxFiles) return this.#exclude(path, 'limit', `more than ${maxFiles} files`)
    const file = this.#stat(path, linked)
    if (!file) return undefined
    if (this.#bytes + file.size > maxTotalBytes)
      return this.#exclude(path, 'limit', `more than ${maxTotalBytes} bytes of files`)
    this.#files++
    this.#bytes += file.size
    return file
  }

  /** Follows a link to a file if that is inside the root; links to folders are not followed. */
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

  /** Whether a file names its interpreter; read once for every change. */
  #isScript({ path, mtimeMs }: WalkedFile): boolean {
    const known = this.#scripts.get(path)
    if (known?.mtimeMs === mtimeMs) return known.isScript
    const isScript = beginsWith(`${this.#root}/${path}`, '#!')
    this.#scripts.set(path, { mtimeMs, isScript })
    return isScript
  }

  #inside(real: string): boolean {
    return isInside(real, this.#realRoot)
  }

  #exclude(path: string, reason: Excluded['reason'], rule?: string): undefined {
    this.#report.excluded(rule === undefined ? { path, reason } : { path, reason, rule })
  }
}

function beginsWith(file: string, start: string): boolean {
  try {
    const opened = openSync(file, 'r')
    try {
      const bytes = Buffer.alloc(start.length)
      readSync(opened, bytes, 0, bytes.length, 0)
      return bytes.toString('latin1') === start
    } finally {
      closeSync(opened)
    }
  } catch {
    return false
  }
}
