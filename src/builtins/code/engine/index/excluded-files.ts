import type { Excluded } from '../../walk/walk.ts'
import type { SavedIndex } from './saved-index.ts'

/** The saved list is bounded; the counts are not. */
const MAX_SAVED = 2_000

type Saved = Pick<SavedIndex, 'excluded' | 'excludedReasons'>

/** The files and folders that are not in the index, each with its reason. */
export class ExcludedFiles {
  readonly #entries = new Map<string, Excluded>()
  /** Complete, unlike the entries of a restored index. */
  #reasons: Partial<Record<Excluded['reason'], number>> = {}

  /** How many there are for each reason. */
  get reasons(): Saved['excludedReasons'] {
    return { ...this.#reasons }
  }

  get count(): number {
    return Object.values(this.#reasons).reduce((sum, count) => sum + count, 0)
  }

  get list(): readonly Excluded[] {
    return [...this.#entries.values()]
  }

  find(path: string): Excluded | undefined {
    return this.#entries.get(path)
  }

  add(entry: Excluded): void {
    this.#remove(entry.path)
    this.#entries.set(entry.path, entry)
    this.#reasons[entry.reason] = (this.#reasons[entry.reason] ?? 0) + 1
  }

  /** Forgets what is directly in these folders, which are about to be visited again. */
  forgetIn(folders: ReadonlySet<string>): void {
    for (const path of this.#entries.keys()) {
      // The path of a folder ends with a slash.
      const end = path.lastIndexOf('/', path.length - 2)
      if (folders.has(path.slice(0, Math.max(0, end)))) this.#remove(path)
    }
  }

  /** Forgets a folder that is gone, and everything in it. */
  forgetBelow(folder: string): void {
    for (const path of this.#entries.keys()) if (path.startsWith(`${folder}/`)) this.#remove(path)
  }

  clear(): void {
    this.#entries.clear()
    this.#reasons = {}
  }

  restore({ excluded, excludedReasons }: Saved): void {
    for (const entry of excluded) this.#entries.set(entry.path, entry)
    this.#reasons = { ...excludedReasons }
  }

  toSaved(): Saved {
    return { excluded: this.list.slice(0, MAX_SAVED), excludedReasons: this.reasons }
  }

  #remove(path: string): void {
    const known = this.#entries.get(path)
    if (!known) return
    this.#entries.delete(path)
    const left = (this.#reasons[known.reason] ?? 1) - 1
    if (left > 0) this.#reasons[known.reason] = left
    else delete this.#reasons[known.reason]
  }
}
