/**
 * What is under way, in no order. Every call comes and goes here, so seats are taken again: an array
 * of a steady size, where ids that only ever grow would make a hash table (see Registry).
 */
export class Roster<Value> {
  readonly #seats: (Value | undefined)[] = []
  readonly #empty: number[] = []

  get size(): number {
    return this.#seats.length - this.#empty.length
  }

  /** Gives the seat, to be handed back. */
  enter(value: Value): number {
    const seat = this.#empty.pop() ?? this.#seats.length
    this.#seats[seat] = value
    return seat
  }

  leave(seat: number): void {
    this.#seats[seat] = undefined
    this.#empty.push(seat)
  }

  present(): Value[] {
    return this.#seats.filter((value) => value !== undefined)
  }
}
