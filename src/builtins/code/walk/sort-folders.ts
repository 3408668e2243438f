import { relative } from 'node:path'
import { languageOf } from '../languages/language-of.ts'
import { type FolderListing, FolderListings } from './folder-listings.ts'
import { IgnoreRules } from './ignore-rules.ts'
import { type TrackedFiles, indexStamp, readTrackedFiles } from './tracked-files.ts'
import type { Excluded, WalkOptions } from './walk.ts'

/** One thing in a folder that a walk has to look at. */
export type Step =
  /** `unnamed`: only its first line can tell whether it is source. */
  | { readonly kind: 'file' | 'link' | 'unnamed'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string; readonly onlyTracked: boolean }

/** What is in a folder and what of it is wanted, with everything that decided it. */
export interface SortedFolder {
  readonly listing: FolderListing
  readonly rules: IgnoreRules
  /** Inside a folder that git ignores but tracks files of. */
  readonly onlyTracked: boolean
  readonly gitStamp: string
  readonly steps: readonly Step[]
  readonly excluded: readonly Excluded[]
}

/** What holds in a folder for everything in it. */
export type Held = Pick<SortedFolder, 'rules' | 'onlyTracked'>

/** Kept from walk to walk, so that folders in which nothing came or went are not sorted again. */
export class WalkMemory {
  readonly listings = new FolderListings()
  readonly folders = new Map<string, SortedFolder>()
  /** Of files without an extension: whether they are scripts, and when they were looked into. */
  readonly scripts = new Map<string, { readonly mtimeMs: number; readonly isScript: boolean }>()

  /** Forgets folders that a whole walk has not been in. */
  keepOnly(visited: ReadonlySet<string>): void {
    for (const folder of this.folders.keys()) if (!visited.has(folder)) this.folders.delete(folder)
    for (const path of this.scripts.keys())
      if (!visited.has(path.slice(0, Math.max(0, path.lastIndexOf('/'))))) this.scripts.delete(path)
  }
}

/** Decides by names alone what of each folder is wanted. */
export class FolderSorter {
  readonly #root: string
  readonly #memory: WalkMemory
  readonly #include: ((path: string) => boolean) | undefined
  readonly #gitIndex: string | undefined
  readonly #gitStamp: string
  /** The way from the top of the repository down to the root. */
  readonly #inRepository: string
  #tracked: TrackedFiles | undefined

  constructor(root: string, options: WalkOptions) {
    this.#root = root
    this.#memory = options.memory ?? new WalkMemory()
    this.#gitIndex = options.gitignore === false ? undefined : options.gitIndex
    this.#gitStamp = this.#gitIndex === undefined ? '' : indexStamp(this.#gitIndex)
    const way = options.gitRoot === undefined ? '' : relative(options.gitRoot, root)
    this.#inRepository = way === '' ? '' : `${way}/`
    if (options.include?.length) this.#include = IgnoreRules.matching(options.include)
  }

  /** As the last walk found it where all that decides it is the same. Throws where the folder cannot be read. */
  sort(path: string, { rules: above, onlyTracked }: Held): SortedFolder {
    const absolute = path === '' ? this.#root : `${this.#root}/${path}`
    const listing = this.#memory.listings.list(absolute)
    const known = this.#memory.folders.get(path)
    // The rules of the root are there already.
    const hasOwnRules = path !== '' && listing.hasRules
    const rules = hasOwnRules ? above.enter(absolute, path, known?.rules) : above
    const gitStamp = this.#gitStamp
    const isSame =
      known?.listing === listing &&
      known.rules === rules &&
      known.onlyTracked === onlyTracked &&
      known.gitStamp === gitStamp
    if (isSame) return known
    const decided = this.#decide(path, listing, { rules, onlyTracked })
    const sorted = { listing, rules, onlyTracked, gitStamp, ...decided }
    this.#memory.folders.set(path, sorted)
    return sorted
  }

  #decide(
    folder: string,
    listing: FolderListing,
    held: Held,
  ): Pick<SortedFolder, 'steps' | 'excluded'> {
    const steps: Step[] = []
    const excluded: Excluded[] = []
    for (const { name, kind } of listing.entries) {
      const path = folder === '' ? name : `${folder}/${name}`
      const verdict = this.#verdict(path, kind === 'folder', held)
      if (verdict.ignored) {
        const shown = kind === 'folder' ? `${path}/` : path
        excluded.push({ path: shown, reason: 'ignored', rule: verdict.by })
      } else if (kind === 'folder') {
        steps.push({ kind, path, onlyTracked: held.onlyTracked || verdict.isTracked })
      } else {
        const wanted = this.#wantedAs(path, kind)
        const rule = this.#include && { rule: 'includePatterns' }
        if (wanted) steps.push({ kind: wanted, path })
        else excluded.push({ path, reason: 'unsupported', ...rule })
      }
    }
    return { steps, excluded }
  }

  #wantedAs(path: string, kind: 'file' | 'link'): 'file' | 'link' | 'unnamed' | undefined {
    if (this.#include) return this.#include(path) ? kind : undefined
    if (languageOf(path)) return kind
    const hasExtension = path.includes('.', path.lastIndexOf('/') + 1)
    return kind === 'file' && !hasExtension ? 'unnamed' : undefined
  }

  /** What git tracks stays in although its ignore files name it; beside it in an ignored folder nothing else does. */
  #verdict(
    path: string,
    isFolder: boolean,
    { rules, onlyTracked }: Held,
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
}
