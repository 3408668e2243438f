/** The text that `%20` and the like stand for; as it is where they stand for nothing. */
export function fromPercent(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
