/** A vector in two bytes a number: `high` is scanned, both together are as good as floats to four digits. */
export interface Quantised {
  readonly high: Int8Array
  readonly low: Int8Array
  /** What one step of `high * 256 + low` is worth. */
  readonly step: number
}

const LARGEST = 127 * 256

/** Scales a vector to length 1 and rounds it; the room beyond its end stays zero. */
export function quantise(vector: Float32Array, room: number): Quantised {
  let squares = 0
  let largest = 0
  for (const value of vector) {
    squares += value * value
    largest = Math.max(largest, Math.abs(value))
  }
  const high = new Int8Array(room)
  const low = new Int8Array(room)
  if (!(squares > 0) || !Number.isFinite(squares)) return { high, low, step: 0 }
  const scale = LARGEST / largest
  for (const [at, value] of vector.entries()) {
    const whole = Math.round(value * scale)
    const top = (whole + 128) >> 8
    high[at] = top
    low[at] = whole - top * 256
  }
  return { high, low, step: largest / LARGEST / Math.sqrt(squares) }
}
