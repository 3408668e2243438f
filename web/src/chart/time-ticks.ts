const MINUTE = 60_000
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1_440, 2_880, 7_200].map(
  (minutes) => minutes * MINUTE,
)
const DAY = 1_440 * MINUTE
const LABEL_PX = 90

/** Returns round times within a span, as many as there is room for labels. */
export function timeTicks(fromMs: number, spanMs: number, width: number): number[] {
  const most = Math.max(2, Math.min(7, Math.floor(width / LABEL_PX)))
  const step = STEPS.find((size) => spanMs / size <= most) ?? spanMs
  // Hours are round in the reader's time zone, not in UTC.
  const offset = step > DAY ? 0 : new Date(fromMs).getTimezoneOffset() * MINUTE
  const first = Math.ceil((fromMs - offset) / step) * step + offset
  const count = Math.max(0, Math.floor((fromMs + spanMs - first) / step) + 1)
  return Array.from({ length: count }, (_, n) => first + n * step)
}
