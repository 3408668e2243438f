/** About how much memory a JSON value holds, without writing it; iterative, as JSON may be very deep. */
export function roughBytes(value: unknown): number {
  let bytes = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string') {
      bytes += next.length + 16
    } else if (typeof next === 'object' && next !== null) {
      const inside: unknown[] = Array.isArray(next) ? next : Object.values(next)
      bytes += 32 + inside.length * 16
      for (const inner of inside) waiting.push(inner)
    } else {
      bytes += 8
    }
  }
  return bytes
}
