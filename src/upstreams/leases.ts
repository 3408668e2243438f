/** Connections that one call has to itself while it runs. */
export class Leases {
  readonly #taken = new Set<string>()

  /** The first one if it is free, else a name that is not taken. */
  take(first: string): string {
    let lease = first
    for (let n = 1; this.#taken.has(lease); n += 1) lease = `lease-${n}`
    this.#taken.add(lease)
    return lease
  }

  end(lease: string): void {
    this.#taken.delete(lease)
  }
}
