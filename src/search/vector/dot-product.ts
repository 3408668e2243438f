/** Returns the cosine of two vectors of length 1. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

/** Returns the product of a vector, whose length is a multiple of four, with the row at `start`. */
export function rowProduct(rows: Int8Array, start: number, vector: Float32Array): number {
  // Four sums at a time: a single sum would wait for each addition before the next.
  let first = 0
  let second = 0
  let third = 0
  let fourth = 0
  for (let axis = 0; axis < vector.length; axis += 4) {
    const at = start + axis
    first += (rows[at] ?? 0) * (vector[axis] ?? 0)
    second += (rows[at + 1] ?? 0) * (vector[axis + 1] ?? 0)
    third += (rows[at + 2] ?? 0) * (vector[axis + 2] ?? 0)
    fourth += (rows[at + 3] ?? 0) * (vector[axis + 3] ?? 0)
  }
  return first + second + third + fourth
}
