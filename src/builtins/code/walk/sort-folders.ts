import { dirname, relative } from 'node:path'
import { languageOf } from '../languages/language-of.ts'
import { IgnoreRules } from './ignore-rules.ts'
import { type TrackedFiles, indexStamp, readTrackedFiles } from '../../../base/git/tracked-files.ts'
import type { Excluded, WalkOptions } from './walk.ts'
import { type Dirent, readdirSync, statSync } from 'node:fs'

/** An entry of a folder that a walk has to visit. */
export type Step =
  /** `unnamed`: only its first line can tell whether it is source. */
  | { readonly kind: 'file' | 'link' | 'unnamed'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string; readonly onlyTracked: OnlyTracked }

/** Inside a folder that is ignored although git tracks files in it: the rule that ignores it. */
type OnlyTracked = string | undefined

/** The wanted and the excluded entries of a folder, with everything that decided about them. */
export interface SortedFolder {
  readonly listing: FolderListing
  readonly rules: IgnoreRules
  readonly onlyTracked: OnlyTracked
  readonly gitStamp: string
  readonly steps: readonly Step[]
  readonly excluded: readonly Excluded[]
}

/** The state that applies to everything in a folder. */
export type Held = Pick<SortedFolder, 'rules' | 'onlyTracked'>

/** Kept between walks, so that folders without added or removed entries are not sorted again. */
export class WalkMemory {
  readonly listings = new FolderListings()
  readonly folders = new Map<string, SortedFolder>()
  /** For files without an extension: whether they are scripts, as of a modification time. */
  readonly scripts = new Map<string, { readonly mtimeMs: number; readonly isScript: boolean }>()

  /** Forgets folders that a full walk has not visited. */
  keepOnly(visited: ReadonlySet<string>): void {
    for (const folder of this.folders.keys()) if (!visited.has(folder)) this.folders.delete(folder)
    for (const path of this.scripts.keys())
      if (!visited.has(path.slice(0, Math.max(0, path.lastIndexOf('/'))))) this.scripts.delete(path)
  }
}

/** Decides by names alone which entries of a folder are wanted. */
export class FolderSorter {
  readonly #root: string
  readonly #memory: WalkMemory
  readonly #include: ((path: string) => boolean) | undefined
  readonly #gitIndex: string | undefined
  readonly #gitDir: string
  readonly #gitStamp: string
  /** The path from the top of the repository down to the root. */
  readonly #inRepository: string
  #tracked: TrackedFiles | undefined

  constructor(root: string, options: WalkOptions) {
    this.#root = root
    this.#memory = options.memory ?? new WalkMemory()
    this.#gitIndex = options.gitignore === false ? undefined : options.gitIndex
    this.#gitDir = options.gitDir ?? dirname(this.#gitIndex ?? '')
    this.#gitStamp = this.#gitIndex === undefined ? '' : indexStamp(this.#gitIndex)
    const way = options.gitRoot === undefined ? '' : relative(options.gitRoot, root)
    this.#inRepository = way === '' ? '' : `${way}/`
    if (options.include?.length) this.#include = IgnoreRules.matching(options.include)
  }

  /**
   * Sorts a folder; reuses the last result if nothing that decides it has changed. Throws if the
   * folder cannot be read.
   */
  sort(path: string, { rules: above, onlyTracked }: Held): SortedFolder {
    const absolute = path === '' ? this.#root : `${this.#root}/${path}`
    const listing = this.#memory.listings.list(absolute)
    const known = this.#memory.folders.get(path)
    // The rules of the root are already included.
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
        steps.push({ kind, path, onlyTracked: held.onlyTracked ?? verdict.onlyTracked })
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

  /** Keeps tracked files that git's ignore files match, but nothing else in an ignored folder. */
  #verdict(
    path: string,
    isFolder: boolean,
    { rules, onlyTracked }: Held,
  ): { ignored: false; onlyTracked: OnlyTracked } | { ignored: true; by: string } {
    const verdict = rules.test(path, isFolder)
    const by = verdict.ignored ? verdict.by : onlyTracked
    if (by === undefined) return { ignored: false, onlyTracked: undefined }
    if (verdict.ignored && !verdict.byGit) return { ignored: true, by }
    return this.#isTracked(path) ? { ignored: false, onlyTracked: by } : { ignored: true, by }
  }

  #isTracked(path: string): boolean {
    if (this.#gitIndex === undefined) return false
    this.#tracked ??= readTrackedFiles(this.#gitIndex, this.#gitDir)
    return this.#tracked.has(this.#inRepository + path)
  }
}

/** An entry of a folder, as far as a walk needs to know it. */
interface FolderEntry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link'
}

interface FolderListing {
  readonly entries: readonly FolderEntry[]
  /** Whether an ignore file is among them. */
  readonly hasRules: boolean
}

interface Known extends FolderListing {
  readonly mtimeMs: number
  readonly readAtMs: number
}

/** Within the clock's resolution, a folder may change without a new modification time. */
const CLOCK_GRAIN_MS = 1_000

/** Lists folders in a stable order; from memory while a folder's modification time is the same. */
class FolderListings {
  readonly #known = new Map<string, Known>()

  list(folder: string): FolderListing {
    const { mtimeMs } = statSync(folder)
    const known = this.#known.get(folder)
    if (known?.mtimeMs === mtimeMs && known.readAtMs - mtimeMs > CLOCK_GRAIN_MS) return known
    const readAtMs = Date.now()
    const entries = readdirSync(folder, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const hasRules = entries.some(({ name }) => name === '.gitignore' || name === '.portolanignore')
    const listing = { entries, hasRules, mtimeMs, readAtMs }
    this.#known.set(folder, listing)
    return listing
  }
}

function kindOf(entry: Dirent): FolderEntry['kind'] {
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'file'
}
