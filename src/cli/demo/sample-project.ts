/** A small program with a bug, for code search to find. */
export const SAMPLE_PROJECT: Readonly<Record<string, string>> = {
  'src/cart.ts': `import { priceOf } from './prices.ts'

export interface Line {
  readonly sku: string
  readonly quantity: number
}

/** The sum of a cart before discounts. */
export function subtotal(lines: readonly Line[]): number {
  return lines.reduce((sum, { sku, quantity }) => sum + priceOf(sku) * quantity, 0)
}
`,
  'src/discount.ts': `import { type Line, subtotal } from './cart.ts'

const LOYAL_CUSTOMER = 0.1

/** Takes the discount of loyal customers off the subtotal of a cart. */
export function applyDiscount(lines: readonly Line[], isLoyal: boolean): number {
  const sum = subtotal(lines)
  return isLoyal ? sum * (1 - LOYAL_CUSTOMER) : sum
}
`,
  'src/prices.ts': `const PRICES = new Map([['SKU-1', 12.5], ['SKU-2', 40]])

export function priceOf(sku: string): number {
  const price = PRICES.get(sku)
  if (price === undefined) throw new Error('no price for ' + sku)
  return price
}
`,
  'src/checkout.ts': `import { applyDiscount } from './discount.ts'
import type { Line } from './cart.ts'

/** What a customer pays in the end. */
export function checkout(lines: readonly Line[], isLoyal: boolean): number {
  const reduced = applyDiscount(lines, isLoyal)
  return isLoyal ? reduced * 0.9 : reduced
}
`,
}
