import { type Line, subtotal } from './cart.ts'

const LOYAL_CUSTOMER = 0.1

/** Takes the discount of loyal customers off the subtotal of a cart. */
export function applyDiscount(lines: readonly Line[], isLoyal: boolean): number {
  const sum = subtotal(lines)
  return isLoyal ? sum * (1 - LOYAL_CUSTOMER) : sum
}
