const PRICES = new Map([
  ['SKU-1', 12.5],
  ['SKU-2', 40],
])

export function priceOf(sku: string): number {
  const price = PRICES.get(sku)
  if (price === undefined) throw new Error('no price for ' + sku)
  return price
}
