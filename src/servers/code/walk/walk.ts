import { lstatSync, realpathSync, statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { languageOf } from '../languages/languages.ts'
import { errorCode } from '../error-code.ts'
import { type FolderEntry, FolderListings } from './folder-listings.ts'
import { IgnoreRules, type IgnoreOptions } from './ignore-rules.ts'
import { type TrackedFiles, readTrackedFiles } from './tracked-files.ts'

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
  /** Kept from walk to walk, so that folders in which nothing came or went are not read again. */
  readonly listings?: FolderListings
}

export interface WalkLimits {
  readonly maxFileBytes: number
  readonly maxFiles: number
}

export const WALK_LIMITS: WalkLimits = { maxFileBytes: 1_000_000, maxFiles: 500_000 }

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
  const walker = new Walker(root, options, report)
  yield* walker.files(IgnoreRules.forRoot(root, options))
}

interface OpenFolder {
  /** Inside a folder that git ignores but tracks files of. */
  readonly onlyTracked: boolean
  readonly path: string
  readonly entries: readonly FolderEntry[]
  readonly rules: IgnoreRules
  next: number
}

class Walker {
  readonly #root: string
  readonly #realRoot: string
  readonly #report: WalkReport
  readonly #include: ((path: string) => boolean) | undefined
  readonly #limits: WalkLimits
  readonly #listings: FolderListings
  readonly #gitIndex: string | undefined
  /** The way from the top of the repository down to the root. */
  readonly #inRepository: string
  #tracked: TrackedFiles | undefined
  #files = 0

  constructor(root: string, options: WalkOptions, report: WalkReport) {
    this.#root = root
    this.#realRoot = realpathSync(root)
    this.#report = report
    this.#listings = options.listings ?? new FolderListings()
    this.#gitIndex = options.gitignore === false ? undefined : options.gitIndex
    const way = options.gitRoot === undefined ? '' : relative(options.gitRoot, root)
    this.#inRepository = way === '' ? '' : `${way}/`
    this.#limits = {
      maxFileBytes: options.maxFileBytes ?? WALK_LIMITS.maxFileBytes,
      maxFiles: options.maxFiles ?? WALK_LIMITS.maxFiles,
    }
    if (options.include?.length) this.#include = IgnoreRules.matching(options.include)
  }

  /** One loop over a stack of open folders: generators inside generators would cost at every level, for every file. */
  *files(rules: IgnoreRules): Generator<WalkedFile> {
    const open = [this.#open('', { rules, onlyTracked: false })]
    for (let folder = open.at(-1); folder; folder = open.at(-1)) {
      const entry = folder.entries[folder.next++]
      if (!entry) {
        open.pop()
        continue
      }
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`
      if (entry.kind === 'folder') {
        const verdict = this.#verdict(path, true, folder)
        if (verdict.ignored) this.#exclude(`${path}/`, 'ignored', verdict.by)
        else open.push(this.#open(path, folder, verdict.isTracked))
        continue
      }
      const file = this.#file(path, entry, folder)
      if (file) yield file
    }
  }

  #open(
    path: string,
    above: Pick<OpenFolder, 'rules' | 'onlyTracked'>,
    isTracked = false,
  ): OpenFolder {
    const onlyTracked = above.onlyTracked || isTracked
    const absolute = path === '' ? this.#root : `${this.#root}/${path}`
    try {
      const { entries, hasRules } = this.#listings.list(absolute)
      this.#report.folder?.(path)
      // The rules of the root are there already.
      const rules = path !== '' && hasRules ? above.rules.enter(absolute, path) : above.rules
      return { path, entries, rules, onlyTracked, next: 0 }
    } catch (error) {
      this.#exclude(`${path}/`, 'unreadable', errorCode(error))
      return { path, entries: [], rules: above.rules, onlyTracked, next: 0 }
    }
  }

  #file(path: string, entry: FolderEntry, folder: OpenFolder): WalkedFile | undefined {
    const refusal = this.#refusal(path, folder)
    if (refusal) {
      this.#report.excluded(refusal)
      return undefined
    }
    const file = this.#stat(path, entry.kind === 'link')
    if (file) this.#files++
    return file
  }

  /** What git tracks stays in although its ignore files name it; beside it in an ignored folder nothing else does. */
  #verdict(
    path: string,
    isFolder: boolean,
    { rules, onlyTracked }: OpenFolder,
  ): { ignored: false; isTracked: boolean } | { ignored: true; by: string } {
    const verdict = rules.test(path, isFolder)
    if (!verdict.ignored && !onlyTracked) return { ignored: false, isTracked: false }
    const by = verdict.ignored ? verdict.by : '.gitignore'
    if (verdict.ignored && !verdict.byGit) return { ignored: true, by }
    return this.#isTracked(path) ? { ignored: false, isTracked: true } : { ignored: true, by }
  }

  #isTracked(path: string): boolean {
    if (this.#gitIndex === undefined) return false
    this.#tracked ??= readTrackedFiles(this.#gitIndex)
    return this.#tracked.has(this.#inRepository + path)
  }

  #refusal(path: string, folder: OpenFolder): Excluded | undefined {
    const verdict = this.#verdict(path, false, folder)
    if (verdict.ignored) return { path, reason: 'ignored', rule: verdict.by }
    if (this.#include && !this.#include(path)) {
      return { path, reason: 'unsupported', rule: 'includePatterns' }
    }
    if (!this.#include && !languageOf(path)) return { path, reason: 'unsupported' }
    if (this.#files < this.#limits.maxFiles) return undefined
    return { path, reason: 'limit', rule: `more than ${this.#limits.maxFiles} files` }
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
      return this.#exclude(path, 'unreadable', errorCode(error))
    }
  }

  #inside(real: string): boolean {
    return real === this.#realRoot || real.startsWith(this.#realRoot + sep)
  }

  #exclude(path: string, reason: Excluded['reason'], rule?: string): undefined {
    this.#report.excluded(rule === undefined ? { path, reason } : { path, reason, rule })
  }
}
