/** Formats numbers and times for people: short in tables, in full where it matters. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const minute = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })
const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' })

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

export function formatStamp(at: number): string {
  return `${day.format(at)} ${clock.format(at)}`
}

/** A date of the API, in the reader's own format. */
export function formatDate(date: string | null): string {
  return date === null ? '' : new Date(date).toLocaleString()
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatWhole(count)} ${count === 1 ? one : many}`
}
