import type { IgnorePattern, Spend } from './ignore-pattern.ts'

/** Of asking one pattern, besides what the pattern itself spends. */
const ASK_COST = 30

interface RankedPattern extends IgnorePattern {
  /** Its line; the last matching line decides. */
  readonly rank: number
}

/**
 * The patterns of one ignore file. Tables by what a path must be, or begin or end with, give the few
 * patterns that are worth asking: a file may have tens of thousands of lines.
 */
export class PatternTable {
  readonly #spend: Spend
  readonly #tables = new Map<string, TextTable>()

  constructor(patterns: readonly IgnorePattern[], spend: Spend) {
    this.#spend = spend
    for (const [rank, pattern] of [...patterns.entries()].toReversed()) {
      const { subject, needs, text } = pattern
      const key = `${subject} ${needs}`
      const table = this.#tables.get(key) ?? new TextTable(subject, needs)
      this.#tables.set(key, table)
      table.add(text, { ...pattern, rank })
    }
  }

  /** Returns the last pattern that matches a path; undefined if none does. */
  last(path: string, name: string, isFolder: boolean): IgnorePattern | undefined {
    let best: RankedPattern | undefined
    for (const table of this.#tables.values()) {
      const subject = table.subject === 'path' ? path : name
      for (const candidates of table.candidates(subject, this.#spend))
        best = this.#better(candidates, subject, isFolder, best)
    }
    return best
  }

  #better(
    candidates: readonly RankedPattern[],
    subject: string,
    isFolder: boolean,
    best: RankedPattern | undefined,
  ): RankedPattern | undefined {
    for (const pattern of candidates) {
      if (best && best.rank > pattern.rank) break
      this.#spend(ASK_COST)
      if ((isFolder || !pattern.foldersOnly) && pattern.matches(subject)) return pattern
    }
    return best
  }
}

/** Patterns by a text, each list with the last line first. */
class TextTable {
  readonly subject: IgnorePattern['subject']
  readonly #needs: IgnorePattern['needs']
  readonly #byText = new Map<string, RankedPattern[]>()
  readonly #lengths = new Set<number>()

  constructor(subject: IgnorePattern['subject'], needs: IgnorePattern['needs']) {
    this.subject = subject
    this.#needs = needs
  }

  add(text: string, pattern: RankedPattern): void {
    const patterns = this.#byText.get(text)
    if (patterns) patterns.push(pattern)
    else this.#byText.set(text, [pattern])
    this.#lengths.add(text.length)
  }

  candidates(subject: string, spend: Spend): readonly (readonly RankedPattern[])[] {
    if (this.#needs === 'whole' || this.#needs === 'nothing') {
      const found = this.#byText.get(this.#needs === 'whole' ? subject : '')
      return found ? [found] : []
    }
    const lists: (readonly RankedPattern[])[] = []
    for (const length of this.#lengths) {
      if (length > subject.length) continue
      spend(1 + (length >> 3))
      const text = this.#needs === 'start' ? subject.slice(0, length) : subject.slice(-length)
      const found = this.#byText.get(text)
      if (found) lists.push(found)
    }
    return lists
  }
}
