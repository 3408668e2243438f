import { withRoom } from '../lexical/growable.ts'
import { TopHits } from '../lexical/top-hits.ts'
import { type DotScanner, createScanner } from './dot-scanner.ts'

export interface VectorIndexState {
  readonly dimension: number
  readonly ids: readonly string[]
  readonly high: Int8Array
  readonly low: Int8Array
  readonly steps: Float32Array
}

export interface VectorIndexOptions {
  readonly dimension: number
  /** The most bytes for all vectors, at two bytes per number; 1 GiB by default. */
  readonly maxBytes?: number
  readonly scanner?: (dimension: number) => DotScanner
}

export interface VectorSearch {
  readonly limit: number
  readonly accept?: (id: string) => boolean
}

export interface VectorHit {
  readonly id: string
  /** The cosine, 0..1; a negative one counts as 0. */
  readonly score: number
}

const LANES = 16
const CANDIDATES_PER_HIT = 8
const MIN_CANDIDATES = 128
/** The factor that is missing if only the upper bytes of two numbers are multiplied. */
const HIGH_SQUARED = 256 * 256

/** Finds the nearest vectors by cosine: scans all rows at 8 bits, compares the best at 16. */
export class VectorIndex {
  readonly dimension: number
  readonly #room: number
  readonly #most: number
  readonly #scanner: DotScanner
  #low: Int8Array
  #steps: Float32Array
  #ids: string[]
  readonly #rows = new Map<string, number>()

  constructor(options: VectorIndexOptions, saved?: VectorIndexState) {
    const state = saved ?? nothingSaved(options.dimension)
    if (state.dimension !== options.dimension)
      throw new RangeError(
        `The saved vectors have ${state.dimension} numbers, the model gives ${options.dimension}; embed again`,
      )
    this.dimension = options.dimension
    this.#room = Math.ceil(options.dimension / LANES) * LANES
    this.#most = Math.floor((options.maxBytes ?? 2 ** 30) / (this.#room * 2))
    this.#scanner = (options.scanner ?? createScanner)(this.#room)
    this.#ids = [...state.ids]
    this.#low = state.low
    this.#steps = state.steps
    this.#scanner.reserve(this.#ids.length)
    this.#scanner.rows.set(state.high)
    for (const [row, id] of this.#ids.entries()) this.#rows.set(id, row)
  }

  get size(): number {
    return this.#ids.length
  }

  get byteLength(): number {
    return this.#scanner.rows.byteLength + this.#low.byteLength + this.#steps.byteLength
  }

  has(id: string): boolean {
    return this.#rows.has(id)
  }

  set(id: string, vector: Float32Array): void {
    if (vector.length !== this.dimension)
      throw new RangeError(`A vector of ${this.dimension} numbers is needed, not ${vector.length}`)
    const row = this.#rows.get(id) ?? this.#newRow(id)
    const { high, low, step } = quantise(vector, this.#room)
    this.#scanner.rows.set(high, row * this.#room)
    this.#low.set(low, row * this.#room)
    this.#steps[row] = step
  }

  /** The last row takes the place of the deleted one. */
  delete(id: string): boolean {
    const row = this.#rows.get(id)
    if (row === undefined) return false
    this.#rows.delete(id)
    const last = this.#ids.length - 1
    const moved = this.#ids.pop()
    if (moved === undefined || row === last) return true
    const from = last * this.#room
    this.#scanner.rows.copyWithin(row * this.#room, from, from + this.#room)
    this.#low.copyWithin(row * this.#room, from, from + this.#room)
    this.#steps[row] = this.#steps[last] ?? 0
    this.#ids[row] = moved
    this.#rows.set(moved, row)
    return true
  }

  search(vector: Float32Array, options: VectorSearch): VectorHit[] {
    if (vector.length !== this.dimension)
      throw new RangeError(`A query of ${this.dimension} numbers is needed, not ${vector.length}`)
    const query = quantise(vector, this.#room)
    const wide = Int16Array.from(query.high)
    const scores = this.#scanner.scan(wide, this.#ids.length)
    const { accept } = options
    const near = new TopHits(Math.max(MIN_CANDIDATES, options.limit * CANDIDATES_PER_HIT))
    for (let row = 0; row < this.#ids.length; row++) {
      const score = (scores[row] ?? 0) * (this.#steps[row] ?? 0)
      if (score > near.bar && (!accept || accept(this.#ids[row] ?? ''))) near.offer(row, score)
    }
    return near
      .take()
      .map(({ document: row }) => ({ id: this.#ids[row] ?? '', score: this.#cosine(query, row) }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, options.limit)
  }

  /** Returns the cosine of every vector by its row, at 8 bits: to score all candidates. */
  cosines(vector: Float32Array): Float32Array {
    const query = quantise(vector, this.#room)
    const scores = this.#scanner.scan(Int16Array.from(query.high), this.#ids.length)
    const factor = query.step * HIGH_SQUARED
    const cosines = new Float32Array(this.#ids.length)
    for (let row = 0; row < cosines.length; row++)
      cosines[row] = (scores[row] ?? 0) * (this.#steps[row] ?? 0) * factor
    return cosines
  }

  /** Returns the row of a vector in `cosines`; it may change when another vector is deleted. */
  rowOf(id: string): number | undefined {
    return this.#rows.get(id)
  }

  idAt(row: number): string | undefined {
    return this.#ids[row]
  }

  /** Returns the cosine for one stored vector at a time; undefined for an unknown id. */
  cosineOf(vector: Float32Array): (id: string) => number | undefined {
    const query = quantise(vector, this.#room)
    return (id) => {
      const row = this.#rows.get(id)
      return row === undefined ? undefined : this.#cosine(query, row)
    }
  }

  state(): VectorIndexState {
    const end = this.#ids.length * this.#room
    return {
      dimension: this.dimension,
      ids: this.#ids,
      high: this.#scanner.rows.slice(0, end),
      low: this.#low.slice(0, end),
      steps: this.#steps.slice(0, this.#ids.length),
    }
  }

  #newRow(id: string): number {
    const row = this.#ids.length
    if (row >= this.#most)
      throw new RangeError(
        `The vector index is full at ${row} vectors; index less, or raise its memory limit`,
      )
    this.#ids.push(id)
    this.#rows.set(id, row)
    if ((row + 1) * this.#room > this.#scanner.rows.length)
      this.#scanner.reserve(Math.ceil((row + 1) * 1.5))
    this.#low = withRoom(this.#low, (row + 1) * this.#room)
    this.#steps = withRoom(this.#steps, row + 1)
    return row
  }

  #cosine(query: { high: Int8Array; low: Int8Array; step: number }, row: number): number {
    const { rows } = this.#scanner
    const start = row * this.#room
    let sum = 0
    for (let at = 0; at < this.#room; at++)
      sum +=
        ((query.high[at] ?? 0) * 256 + (query.low[at] ?? 0)) *
        ((rows[start + at] ?? 0) * 256 + (this.#low[start + at] ?? 0))
    return Math.min(1, Math.max(0, sum * query.step * (this.#steps[row] ?? 0)))
  }
}

function nothingSaved(dimension: number): VectorIndexState {
  const nothing = new Int8Array(0)
  return { dimension, ids: [], high: nothing, low: nothing, steps: new Float32Array(0) }
}

/** A vector in two bytes per number: `high` is scanned; both together give four digits. */
interface QuantisedVector {
  readonly high: Int8Array
  readonly low: Int8Array
  /** What one step of `high * 256 + low` is worth. */
  readonly step: number
}

const MAX_VALUE = 127 * 256

/** Scales a vector to length 1 and rounds it; the room beyond its end stays zero. */
function quantise(vector: Float32Array, room: number): QuantisedVector {
  let squares = 0
  let largest = 0
  for (const value of vector) {
    squares += value * value
    largest = Math.max(largest, Math.abs(value))
  }
  const high = new Int8Array(room)
  const low = new Int8Array(room)
  if (!(squares > 0) || !Number.isFinite(squares)) return { high, low, step: 0 }
  const scale = MAX_VALUE / largest
  for (const [at, value] of vector.entries()) {
    const whole = Math.round(value * scale)
    const top = (whole + 128) >> 8
    high[at] = top
    low[at] = whole - top * 256
  }
  return { high, low, step: largest / MAX_VALUE / Math.sqrt(squares) }
}
