import { withRoom } from '../lexical/growable.ts'
import { rowProduct } from './dot-product.ts'
import { type DotScanner, createScanner } from './dot-scanner.ts'

const MAX_VALUE = 127
/** The stored value of 1: the few axes above a half are clipped, and lose little. */
const UNIT = 254
/** The value of 1 in a scanned query: 16 bits, so that nothing is lost beside rows of 8. */
const QUERY_UNIT = 2 ** 14
/** Below this many rows, comparing them is faster than copying them to a scanner. */
const FEW_ROWS = 1000

/** Vectors of one length, a multiple of 16, keyed by small integers, one byte per axis. */
export class VectorRows {
  readonly dimension: number
  #rows: Int8Array
  /** Made by the first scan of many rows; undefined again after a change. */
  #copied: { readonly scanner: DotScanner; readonly count: number } | undefined
  #scanner: DotScanner | undefined

  constructor(dimension: number, rows: Int8Array = new Int8Array(0)) {
    this.dimension = dimension
    this.#rows = rows
  }

  /** Stores the direction of a vector of any length. */
  set(number: number, vector: Float32Array): void {
    const { dimension } = this
    const start = number * dimension
    this.#copied = undefined
    this.#rows = withRoom(this.#rows, start + dimension)
    let squares = 0
    for (const value of vector) squares += value * value
    const scale = squares > 0 ? UNIT / Math.sqrt(squares) : 0
    for (let axis = 0; axis < dimension; axis++) {
      const value = Math.round((vector[axis] ?? 0) * scale)
      this.#rows[start + axis] = Math.max(-MAX_VALUE, Math.min(MAX_VALUE, value))
    }
  }

  /** Returns how near a row is to a vector of length 1; 0 for a missing row or one of zeros. */
  cosine(number: number, vector: Float32Array): number {
    return rowProduct(this.#rows, number * this.dimension, vector) / UNIT
  }

  /** Returns the cosine of each of the first rows; ten times as fast for many rows. */
  cosines(count: number, vector: Float32Array): Float32Array {
    const found = new Float32Array(count)
    if (count < FEW_ROWS) {
      for (let row = 0; row < count; row++) found[row] = this.cosine(row, vector)
      return found
    }
    const query = Int16Array.from(vector, (value) => Math.round(value * QUERY_UNIT))
    const products = this.#scan(count).scan(query, count)
    for (let row = 0; row < count; row++) found[row] = (products[row] ?? 0) / (UNIT * QUERY_UNIT)
    return found
  }

  #scan(count: number): DotScanner {
    if (this.#copied?.count === count) return this.#copied.scanner
    const scanner = (this.#scanner ??= createScanner(this.dimension))
    scanner.reserve(count)
    scanner.rows.set(this.first(count))
    this.#copied = { scanner, count }
    return scanner
  }

  /** Returns the rows of these numbers in order; a negative number gives a row of zeros. */
  take(numbers: readonly number[] | Int32Array): Int8Array {
    const { dimension } = this
    const rows = new Int8Array(numbers.length * dimension)
    for (const [place, number] of numbers.entries()) {
      const start = number * dimension
      if (number >= 0) rows.set(this.#rows.subarray(start, start + dimension), place * dimension)
    }
    return rows
  }

  /** Returns the first `count` rows, as they are in memory. */
  first(count: number): Int8Array {
    const length = count * this.dimension
    return withRoom(this.#rows, length).subarray(0, length)
  }
}
