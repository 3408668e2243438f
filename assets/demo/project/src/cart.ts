import { priceOf } from './prices.ts'

export interface Line {
  readonly sku: string
  readonly quantity: number
}

/** The sum of a cart before discounts. */
export function subtotal(lines: readonly Line[]): number {
  return lines.reduce((sum, { sku, quantity }) => sum + priceOf(sku) * quantity, 0)
}
