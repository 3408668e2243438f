/** How much a reduction may show of each kind of value. */
export interface Plan {
  /** Characters of one string. */
  readonly strings: number
  /** Elements of an array that is not itself inside an array. */
  readonly rows: number
  /** Elements of an array inside an array. */
  readonly inner: number
  /** Fields of an object; objects nested in it show fewer. */
  readonly fields: number
  readonly depth: number
}

/** Cuts nothing but depth: JSON.stringify would overflow the stack. */
const WHOLE: Plan = {
  strings: Infinity,
  rows: Infinity,
  inner: Infinity,
  fields: Infinity,
  depth: 48,
}

/** Plans that keep every row but lose detail, loosest first: the rows are what a list is about. */
export const ALL_ROWS: readonly Plan[] = [
  WHOLE,
  { ...WHOLE, strings: 1000 },
  { ...WHOLE, strings: 300, depth: 12 },
  { strings: 200, rows: Infinity, inner: 40, fields: 40, depth: 8 },
  { strings: 160, rows: Infinity, inner: 20, fields: 24, depth: 7 },
  { strings: 120, rows: Infinity, inner: 10, fields: 16, depth: 6 },
  { strings: 80, rows: Infinity, inner: 5, fields: 10, depth: 5 },
  { strings: 80, rows: Infinity, inner: 5, fields: 7, depth: 4 },
  { strings: 60, rows: Infinity, inner: 3, fields: 5, depth: 4 },
  { strings: 60, rows: Infinity, inner: 3, fields: 3, depth: 4 },
  { strings: 40, rows: Infinity, inner: 2, fields: 2, depth: 4 },
]

/** A plan that shows the identifier and the name of each row. */
export function named(rows: number): Plan {
  return { strings: 40, rows, inner: 1, fields: 2, depth: 4 }
}

/** Every row with its identifier alone. */
export const BARE_ROWS: Plan = { strings: 40, rows: Infinity, inner: 1, fields: 1, depth: 4 }

/** Samples rows with some detail each, for when even the identifiers of all rows do not fit. */
export function sampled(rows: number): Plan {
  return { strings: 80, rows, inner: 3, fields: 8, depth: 4 }
}

/** The last resorts, for budgets of a few dozen tokens. */
export const TINY: readonly Plan[] = [
  { strings: 40, rows: 1, inner: 1, fields: 4, depth: 2 },
  { strings: 20, rows: 1, inner: 0, fields: 2, depth: 1 },
  { strings: 8, rows: 0, inner: 0, fields: 1, depth: 0 },
]
