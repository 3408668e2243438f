/** Returns the message of a thrown value, which need not be an Error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Returns a thrown value as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Returns the message of the cause, where `fetch failed` has its reason, or else its own. */
export function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return (cause instanceof Error && cause.message) || messageOf(thrown)
}

/** Returns the error code of a system call, such as `ENOENT`, or of a library. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined
}

/** Whether an error of a system call or of a library has this code. */
export function hasCode(thrown: unknown, code: string): boolean {
  return codeOf(thrown) === code
}
