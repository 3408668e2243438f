import type { Vocabulary } from './vocabulary.ts'

/** Capacity for an ordinary merge; it grows on demand and shrinks after a very large piece. */
const ORDINARY = 1 << 12
/** The heap key rank * POSITIONS + position sorts by rank, then by position. */
const POSITIONS = 2 ** 32

const DEAD = -2

let capacity = 0
let next = new Int32Array(0)
let previous = new Int32Array(0)
let pairRank = new Int32Array(0)
let token = new Int32Array(0)
let heap = new Float64Array(0)
let heapSize = 0

/**
 * Counts the tokens of `bytes[0..length)`: always merges the pair with the lowest rank, leftmost
 * first. A heap finds that pair, so the cost is n log n where the usual scan is quadratic.
 */
export function countMerged(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  if (length > capacity) reserve(Math.max(length, ORDINARY))
  for (let i = 0; i < length; i++) {
    next[i] = i + 1
    previous[i] = i - 1
    token[i] = vocabulary.byteRank(bytes[i]!)
  }
  heapSize = 0
  for (let i = 0; i < length; i++) rankPair(vocabulary, bytes, i, length)
  let tokens = length
  while (heapSize > 0) {
    const key = pop()
    const left = key % POSITIONS
    if (pairRank[left] !== (key - left) / POSITIONS) continue
    const right = next[left]!
    const after = next[right]!
    next[left] = after
    if (after < length) previous[after] = left
    token[left] = pairRank[left]!
    pairRank[right] = DEAD
    tokens--
    rankPair(vocabulary, bytes, left, length)
    const before = previous[left]!
    if (before >= 0) rankPair(vocabulary, bytes, before, length)
  }
  if (capacity > ORDINARY * 16) reserve(ORDINARY)
  return tokens
}

function rankPair(vocabulary: Vocabulary, bytes: Uint8Array, left: number, length: number): void {
  const right = next[left]!
  const rank = right < length ? joinedRank(vocabulary, bytes, left, right) : -1
  pairRank[left] = rank
  if (rank >= 0) push(rank * POSITIONS + left)
}

function joinedRank(vocabulary: Vocabulary, bytes: Uint8Array, left: number, right: number) {
  const { joins } = vocabulary
  let rank = joins.get(token[left]!, token[right]!)
  if (rank === undefined) {
    rank = vocabulary.find(bytes, left, next[right]!)
    joins.set(token[left]!, token[right]!, rank)
  }
  return rank
}

function reserve(size: number): void {
  capacity = size
  next = new Int32Array(size)
  previous = new Int32Array(size)
  pairRank = new Int32Array(size)
  token = new Int32Array(size)
  // Every merge takes one key out and puts at most two in, and there are fewer merges than bytes.
  heap = new Float64Array(size * 2)
}

function push(key: number): void {
  let i = heapSize++
  while (i > 0) {
    const parent = (i - 1) >> 1
    const above = heap[parent]!
    if (above <= key) break
    heap[i] = above
    i = parent
  }
  heap[i] = key
}

function pop(): number {
  const top = heap[0]!
  const last = heap[--heapSize]!
  let i = 0
  for (;;) {
    let child = 2 * i + 1
    if (child >= heapSize) break
    if (child + 1 < heapSize && heap[child + 1]! < heap[child]!) child++
    if (heap[child]! >= last) break
    heap[i] = heap[child]!
    i = child
  }
  heap[i] = last
  return top
}
