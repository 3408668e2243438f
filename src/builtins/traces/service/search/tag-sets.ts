/** Each set of tags that some trace carries, once, by number: many traces carry the same few. */
export class TagSets {
  readonly #sets: (readonly string[])[] = []
  readonly #numbers = new Map<string, number>()

  constructor(sets: readonly (readonly string[])[] = []) {
    for (const tags of sets) this.numberOf(tags)
  }

  /** The same for the same tags in the same order. */
  numberOf(tags: readonly string[]): number {
    const key = tags.join(' ')
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#sets.push(tags) - 1
    this.#numbers.set(key, number)
    return number
  }

  /** Tells whether a set has all of some tags; each set is looked at once. */
  having(tags: readonly string[]): (number: number) => boolean {
    const looked: boolean[] = []
    return (number) =>
      (looked[number] ??= tags.every((tag) => this.#sets[number]?.includes(tag) ?? false))
  }

  all(): readonly (readonly string[])[] {
    return this.#sets
  }
}
