import { lstatSync, realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import { languageOf } from '../languages/languages.ts'
import { errorCode } from '../error-code.ts'
import { type FolderEntry, FolderListings } from './folder-listings.ts'
import { IgnoreRules, type IgnoreOptions } from './ignore-rules.ts'

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
  #files = 0

  constructor(root: string, options: WalkOptions, report: WalkReport) {
    this.#root = root
    this.#realRoot = realpathSync(root)
    this.#report = report
    this.#listings = options.listings ?? new FolderListings()
    this.#limits = {
      maxFileBytes: options.maxFileBytes ?? WALK_LIMITS.maxFileBytes,
      maxFiles: options.maxFiles ?? WALK_LIMITS.maxFiles,
    }
    if (options.include?.length) this.#include = IgnoreRules.matching(options.include)
  }

  /** One loop over a stack of open folders: generators inside generators would cost at every level, for every file. */
  *files(rules: IgnoreRules): Generator<WalkedFile> {
    const open = [this.#open('', rules)]
    for (let folder = open.at(-1); folder; folder = open.at(-1)) {
      const entry = folder.entries[folder.next++]
      if (!entry) {
        open.pop()
        continue
      }
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`
      if (entry.kind === 'folder') {
        const verdict = folder.rules.test(path, true)
        if (verdict.ignored) this.#exclude(`${path}/`, 'ignored', verdict.by)
        else open.push(this.#open(path, folder.rules))
        continue
      }
      const file = this.#file(path, entry, folder.rules)
      if (file) yield file
    }
  }

  #open(path: string, above: IgnoreRules): OpenFolder {
    const absolute = path === '' ? this.#root : `${this.#root}/${path}`
    try {
      const { entries, hasRules } = this.#listings.list(absolute)
      this.#report.folder?.(path)
      // The rules of the root are there already.
      const rules = path !== '' && hasRules ? above.enter(absolute, path) : above
      return { path, entries, rules, next: 0 }
    } catch (error) {
      this.#exclude(`${path}/`, 'unreadable', errorCode(error))
      return { path, entries: [], rules: above, next: 0 }
    }
  }

  #file(path: string, entry: FolderEntry, rules: IgnoreRules): WalkedFile | undefined {
    const refusal = this.#refusal(path, rules)
    if (refusal) {
      this.#report.excluded(refusal)
      return undefined
    }
    const file = this.#stat(path, entry.kind === 'link')
    if (file) this.#files++
    return file
  }

  #refusal(path: string, rules: IgnoreRules): Excluded | undefined {
    const verdict = rules.test(path, false)
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
