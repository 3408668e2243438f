/** What was thrown, as a sentence: anything may be thrown, and most of it is an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
