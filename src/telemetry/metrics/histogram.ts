/** Values below this many microseconds have a bucket each. */
const LINEAR = 32
/** Buckets per power of two above that: a value is at most 1/32 away from its bucket's middle. */
const PER_OCTAVE = 16
const MAX_OCTAVE = 31
const BUCKETS = LINEAR + (MAX_OCTAVE - 4) * PER_OCTAVE

/** Durations in log-scaled buckets: fixed memory, quantiles within 3.2 %, 1 µs to 71 minutes. */
export class Histogram {
  #counts = new Float64Array(BUCKETS)
  count = 0
  sumMs = 0

  record(durationMs: number): void {
    const index = bucketOf(durationMs)
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
    this.count++
    this.sumMs += durationMs
  }

  /** Adds the counts of another histogram. */
  add(other: Histogram): void {
    for (let index = 0; index < BUCKETS; index++)
      this.#counts[index] = (this.#counts[index] ?? 0) + (other.#counts[index] ?? 0)
    this.count += other.count
    this.sumMs += other.sumMs
  }

  reset(): void {
    this.#counts.fill(0)
    this.count = 0
    this.sumMs = 0
  }

  /** Returns milliseconds; 0 if nothing was recorded. */
  quantile(q: number): number {
    const rank = Math.max(1, Math.ceil(q * this.count))
    let seen = 0
    for (let index = 0; index < BUCKETS; index++) {
      seen += this.#counts[index] ?? 0
      if (seen >= rank) return middleOf(index)
    }
    return 0
  }

  /** Counts the values below each of the `limitsUs`, powers of two in ascending order. */
  cumulative(limitsUs: readonly number[]): number[] {
    const totals: number[] = []
    let seen = 0
    let index = 0
    for (const limit of limitsUs) {
      const end = bucketOf(limit / 1_000)
      for (; index < end; index++) seen += this.#counts[index] ?? 0
      totals.push(seen)
    }
    return totals
  }
}

/** The bucket of a duration; `middleOf` is about what it was. */
export function bucketOf(durationMs: number): number {
  const us = Math.min(Math.max(Math.round(durationMs * 1_000), 0), 0xffffffff)
  if (us < LINEAR) return us
  const octave = 31 - Math.clz32(us)
  const step = (us >>> (octave - 4)) & (PER_OCTAVE - 1)
  return LINEAR + (octave - 5) * PER_OCTAVE + step
}

export function middleOf(index: number): number {
  if (index < LINEAR) return index / 1_000
  const octave = 5 + Math.floor((index - LINEAR) / PER_OCTAVE)
  const step = (index - LINEAR) % PER_OCTAVE
  const width = 2 ** (octave - 4)
  return ((PER_OCTAVE + step + 0.5) * width) / 1_000
}
