const SLOTS = 1 << 14
const RANKS = 2 ** 20

/** A small direct-mapped memory: a newer pair takes the place of an older one in the same slot. */
export class JoinMemory {
  readonly #pairs = new Float64Array(SLOTS).fill(-1)
  readonly #joined = new Int32Array(SLOTS)

  /** The remembered rank, -1 for a pair that does not join, or undefined when not remembered. */
  get(left: number, right: number): number | undefined {
    const slot = slotOf(left, right)
    return this.#pairs[slot] === left * RANKS + right ? this.#joined[slot] : undefined
  }

  set(left: number, right: number, rank: number): void {
    const slot = slotOf(left, right)
    this.#pairs[slot] = left * RANKS + right
    this.#joined[slot] = rank
  }
}

function slotOf(left: number, right: number): number {
  return (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> 18
}
