import { ExactNumber, compareExact, hasExact, mapLeaves } from '../../base/json/exact-json.ts'

/**
 * Replaces exact numbers for a language that only knows doubles. Each becomes a double that occurs
 * nowhere else in `data`, in the order of the exact values, and can be restored. Numbers beyond the
 * range of a double stay objects, which can be selected but not compared.
 */
export class StandIns {
  readonly #doubles = new Map<string, number>()
  readonly #numbers = new Map<number, number | ExactNumber>()

  constructor(data: unknown) {
    if (!hasExact(data)) return
    let last = -Infinity
    for (const number of numbersIn(data).toSorted(compareExact)) {
      const double = Number(number) > last ? Number(number) : above(last)
      if (!Number.isFinite(double)) continue
      last = double
      if (double === number) continue
      this.#doubles.set(String(number), double)
      this.#numbers.set(double, number)
    }
  }

  /** How many numbers have a stand-in. */
  get size(): number {
    return this.#numbers.size
  }

  replace(value: unknown): unknown {
    return mapLeaves(value, (leaf) =>
      isNumber(leaf) ? (this.#doubles.get(String(leaf)) ?? leaf) : leaf,
    )
  }

  restore(value: unknown): unknown {
    return mapLeaves(value, (leaf) =>
      typeof leaf === 'number' ? (this.#numbers.get(leaf) ?? leaf) : leaf,
    )
  }
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber
}

/** Returns every number in the data once. */
function numbersIn(data: unknown): (number | ExactNumber)[] {
  const found = new Map<string, number | ExactNumber>()
  mapLeaves(data, (leaf) => {
    if (isNumber(leaf)) found.set(String(leaf), leaf)
    return leaf
  })
  return [...found.values()]
}

const bits = new DataView(new ArrayBuffer(8))

/** The next larger double. */
function above(double: number): number {
  if (double === 0) return Number.MIN_VALUE
  bits.setFloat64(0, double)
  bits.setBigInt64(0, bits.getBigInt64(0) + (double > 0 ? 1n : -1n))
  return bits.getFloat64(0)
}
