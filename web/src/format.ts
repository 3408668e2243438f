/** Formats numbers and times for people: short in tables, in full where it matters. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
// ISO 8601 in the reader's time zone, which is also how Swedish writes dates and times.
const clock = new Intl.DateTimeFormat('sv', { timeStyle: 'medium' })
const minute = new Intl.DateTimeFormat('sv', { timeStyle: 'short' })
const day = new Intl.DateTimeFormat('sv', { dateStyle: 'short' })
const utcDay = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeZone: 'UTC' })

export function formatCount(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value)
}

export function formatWhole(value: number): string {
  return whole.format(value)
}

export function formatPercent(share: number): string {
  const percent = share * 100
  return `${percent !== 0 && percent < 10 ? percent.toFixed(1) : whole.format(percent)} %`
}

export function formatMs(ms: number): string {
  if (ms === 0) return '0 ms'
  if (ms < 1) return `${ms.toFixed(2)} ms`
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 1_000) return `${whole.format(ms)} ms`
  return formatSpan(ms)
}

export function formatSpan(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} d`
}

export function formatAgo(at: number, now = Date.now()): string {
  const ms = Math.max(0, now - at)
  return ms < 1_000 ? 'now' : `${formatSpan(ms)} ago`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

export function formatClock(at: number): string {
  return clock.format(at)
}

export function formatMinute(at: number): string {
  return minute.format(at)
}

/** A date and a time: `2026-01-31 12:00:00`. */
export function formatStamp(at: number): string {
  return `${day.format(at)} ${clock.format(at)}`
}

export function formatDay(at: number): string {
  return day.format(at)
}

/** A day of the history, which counts in days of UTC. */
export function formatUtcDay(at: number): string {
  return utcDay.format(at)
}

/** A date of the API. */
export function formatDate(date: string | null): string {
  return date === null ? '' : formatStamp(Date.parse(date))
}

/** An amount of money, with more digits the smaller it is. */
export function formatMoney(amount: number, currency: string): string {
  const digits = amount === 0 || amount >= 1 ? 2 : 4
  return `${amount.toFixed(digits)} ${currency}`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatWhole(count)} ${count === 1 ? one : many}`
}
