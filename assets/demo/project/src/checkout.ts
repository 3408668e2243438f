import { applyDiscount } from './discount.ts'
import type { Line } from './cart.ts'

/** What a customer pays in the end. */
export function checkout(lines: readonly Line[], isLoyal: boolean): number {
  const reduced = applyDiscount(lines, isLoyal)
  return isLoyal ? reduced * 0.9 : reduced
}
