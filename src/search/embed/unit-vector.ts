/** Scales a vector to length 1, so that a dot product is a cosine. */
export function unitVector(values: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(values)
  let squares = 0
  for (const value of vector) squares += value * value
  const length = Math.sqrt(squares)
  if (length === 0 || !Number.isFinite(length)) return vector.fill(0)
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length
  return vector
}
