import { z } from 'zod'

/** Numbers arrive as text in a query. */
export function limit(most: number, fallback: number) {
  return z.coerce.number().int().min(1).max(most).default(fallback)
}

export function offsetOf(cursor: string | undefined): number {
  return Math.max(0, Math.trunc(Number(cursor ?? 0)) || 0)
}

/** Returns the cursor of the next page; null if `count` items from `offset` are the last. */
export function nextOffset(offset: number, count: number, total: number): string | null {
  const end = offset + count
  return count > 0 && end < total ? `${end}` : null
}

export const text = z.string().min(1)
/** An empty form field counts as left out. */
export const maybe = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value))

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.preprocess((value) => (value === '' ? undefined : value), z.enum(values).optional())
}

export const agent = maybe.describe('Act as this agent')
