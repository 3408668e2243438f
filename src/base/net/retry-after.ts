/** Reads the header `Retry-After`, in seconds or as a date, and returns milliseconds from now. */
export function retryAfterMs(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined) return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
