import { withRoom } from '../lexical/growable.ts'

const LARGEST = 127
/** What 1 is stored as: few axes of a unit vector are above a half, and those lose little. */
const UNIT = 254

/** Vectors of one length under small numbers, a byte an axis. */
export class VectorRows {
  readonly dimension: number
  #rows: Int8Array

  constructor(dimension: number, rows: Int8Array = new Int8Array(0)) {
    this.dimension = dimension
    this.#rows = rows
  }

  /** Keeps the direction of a vector, of whatever length. */
  set(number: number, vector: Float32Array): void {
    const { dimension } = this
    const start = number * dimension
    this.#rows = withRoom(this.#rows, start + dimension)
    let squares = 0
    for (const value of vector) squares += value * value
    const scale = squares > 0 ? UNIT / Math.sqrt(squares) : 0
    for (let axis = 0; axis < dimension; axis++) {
      const value = Math.round((vector[axis] ?? 0) * scale)
      this.#rows[start + axis] = Math.max(-LARGEST, Math.min(LARGEST, value))
    }
  }

  /** How near a row is to a vector of length 1; 0 where there is no row, or one of zeros. */
  cosine(number: number, vector: Float32Array): number {
    const rows = this.#rows
    const { dimension } = this
    const start = number * dimension
    let product = 0
    for (let axis = 0; axis < dimension; axis++)
      product += (rows[start + axis] ?? 0) * (vector[axis] ?? 0)
    return product / UNIT
  }

  /** The rows of these numbers, one after the other; a number below 0 gives a row of zeros. */
  take(numbers: readonly number[] | Int32Array): Int8Array {
    const { dimension } = this
    const rows = new Int8Array(numbers.length * dimension)
    for (const [place, number] of numbers.entries()) {
      const start = number * dimension
      if (number >= 0) rows.set(this.#rows.subarray(start, start + dimension), place * dimension)
    }
    return rows
  }

  /** All rows below a number, as they lie in memory. */
  first(count: number): Int8Array {
    const length = count * this.dimension
    return withRoom(this.#rows, length).subarray(0, length)
  }
}
