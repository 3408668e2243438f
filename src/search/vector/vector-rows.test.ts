import { expect, it } from 'vitest'
import { VectorRows } from './vector-rows.ts'

const DIMENSION = 128
const aVector = (seed: number) =>
  Float32Array.from({ length: DIMENSION }, (_, axis) => Math.sin(seed * 7 + axis * (seed + 1)))
const length = (vector: Float32Array) => Math.hypot(...vector)
const unit = (vector: Float32Array) => vector.map((value) => value / length(vector))

it('keeps the cosine of vectors, whatever their length', () => {
  const rows = new VectorRows(DIMENSION)
  for (let n = 0; n < 20; n++)
    rows.set(
      n,
      aVector(n).map((value) => value * (n + 1)),
    )
  const query = unit(aVector(3))
  for (let n = 0; n < 20; n++) {
    const exact = unit(aVector(n)).reduce((sum, value, axis) => sum + value * (query[axis] ?? 0), 0)
    expect(rows.cosine(n, query)).toBeCloseTo(exact, 1)
  }
  expect(rows.cosine(3, query)).toBeCloseTo(1, 1)
})

it('answers 0 for a row that is missing or has no direction', () => {
  const rows = new VectorRows(DIMENSION)
  rows.set(0, new Float32Array(DIMENSION))
  expect(rows.cosine(0, unit(aVector(1)))).toBe(0)
  expect(rows.cosine(7, unit(aVector(1)))).toBe(0)
})

it('gives rows back in another order', () => {
  const rows = new VectorRows(DIMENSION)
  rows.set(0, aVector(0))
  rows.set(1, aVector(1))
  const turned = new VectorRows(DIMENSION, rows.take([1, 0, -1]))
  expect(turned.cosine(0, unit(aVector(1)))).toBe(rows.cosine(1, unit(aVector(1))))
  expect(turned.cosine(2, unit(aVector(1)))).toBe(0)
  expect(rows.first(2)).toHaveLength(2 * DIMENSION)
})

it.each([10, 1500])(
  'compares all of %d rows at once as it does one by one, also after a change',
  (count) => {
    const rows = new VectorRows(DIMENSION)
    const query = unit(aVector(3))
    const oneByOne = () => Array.from({ length: count }, (_, n) => rows.cosine(n, query))
    for (let n = 0; n < count; n++) rows.set(n, aVector(n))
    const before = oneByOne()
    expect(difference(rows.cosines(count, query), before)).toBeLessThan(0.001)
    rows.set(5, aVector(3))
    expect(difference(rows.cosines(count, query), oneByOne())).toBeLessThan(0.001)
    expect(difference(rows.cosines(count, query), before)).toBeGreaterThan(0.5)
  },
)

function difference(found: Float32Array, expected: readonly number[]): number {
  expect(found).toHaveLength(expected.length)
  return Math.max(...expected.map((each, at) => Math.abs(each - (found[at] ?? NaN))))
}
