export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}
