/**
 * An unordered set whose members change with every call. Freed places are reused, so the array
 * keeps a steady size, whereas growing ids would need a hash table (see Registry).
 */
export class Members<Value> {
  readonly #members: (Value | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#members.length - this.#free.length
  }

  /** Returns the index to remove it by. */
  add(value: Value): number {
    const index = this.#free.pop() ?? this.#members.length
    this.#members[index] = value
    return index
  }

  remove(index: number): void {
    this.#members[index] = undefined
    this.#free.push(index)
  }

  values(): Value[] {
    return this.#members.filter((value) => value !== undefined)
  }
}
