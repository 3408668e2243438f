/** Collects what a reduction leaves out, so that nothing is dropped silently. */
export class Report {
  readonly #shown = new Map<string, { shown: number; total: number }>()
  readonly #fields = new Set<string>()
  readonly #kinds = new Set<string>()
  /** Whether a string was cut: more room would show more of it. */
  clipped = false

  /** Records `shown` of `total` elements at a path; counts of one path add up over rows. */
  sampled(path: string, shown: number, total: number): void {
    const entry = this.#shown.get(path)
    if (entry) {
      entry.shown += shown
      entry.total += total
    } else {
      this.#shown.set(path, { shown, total })
    }
  }

  field(path: string): void {
    this.#fields.add(path)
  }

  /** Records a kind of value that is left out, such as `null and empty`. */
  kind(name: string): void {
    this.#kinds.add(name)
  }

  /** Fields that are left out, and lists that lack elements: `items[].name`, `items[]`. */
  get missing(): readonly string[] {
    return [...this.#fields, ...[...this.#shown.keys()].map((path) => `${path}[]`)]
  }

  /** Returns the first `limit` entries of each list, and how many more there are. */
  toObject(limit: number): { _shown?: Record<string, string>; _omitted?: string[] } {
    const shown = [...this.#shown].slice(0, limit)
    const omitted = [...this.#kinds, ...this.#fields]
    const more = omitted.length - limit
    const listed = more > 0 ? [...omitted.slice(0, limit), `and ${more} more`] : omitted
    return {
      ...(shown.length > 0 && {
        _shown: Object.fromEntries(
          shown.map(([path, count]) => [path, `${count.shown} of ${count.total}`]),
        ),
      }),
      ...(listed.length > 0 && limit > 0 && { _omitted: listed }),
    }
  }
}
