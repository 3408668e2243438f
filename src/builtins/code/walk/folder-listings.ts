import { type Dirent, readdirSync, statSync } from 'node:fs'

/** An entry of a folder, as far as a walk needs to know it. */
export interface FolderEntry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link'
}

export interface FolderListing {
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
export class FolderListings {
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
