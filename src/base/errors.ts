/** What was thrown, as a sentence: anything may be thrown, and most of it is an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** What is behind it: `fetch failed` has the reason in its cause. */
export function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return (cause instanceof Error && cause.message) || messageOf(thrown)
}

/** The code of the error of a system call, such as `ENOENT`, or of a library. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined
}

/** Whether it is the error of a system call, or of a library, with this code. */
export function hasCode(thrown: unknown, code: string): boolean {
  return codeOf(thrown) === code
}
