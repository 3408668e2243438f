const VALUES: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 }
const ROMAN = /^(?:c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/

/** Returns the value of a Roman numeral up to 399, as in prefaces and parts, or undefined. */
export function romanValue(text: string): number | undefined {
  const letters = text.toLowerCase()
  if (!letters || !ROMAN.test(letters)) return undefined
  return letters.split('').reduce((sum, letter, at) => {
    const [value, next] = [VALUES[letter] ?? 0, VALUES[letters[at + 1] ?? ''] ?? 0]
    return sum + (value < next ? -value : value)
  }, 0)
}
