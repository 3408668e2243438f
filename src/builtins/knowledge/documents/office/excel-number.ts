/** The meaning that a cell's format gives to its number. */
export type NumberKind = 'number' | 'date' | 'time' | 'moment' | 'duration'

/** Predefined formats of every workbook; all others are number formats. */
const BUILTIN: readonly (readonly [from: number, to: number, kind: NumberKind])[] = [
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'moment'],
  [27, 36, 'date'],
  [45, 45, 'time'],
  [46, 46, 'duration'],
  [47, 47, 'time'],
  [50, 58, 'date'],
]

export function builtinKind(id: number): NumberKind {
  return BUILTIN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number'
}

/** Literal text, colours and currencies in brackets, and padding characters. */
const NO_CODE = /"[^"]*"|\\.|[_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi

/** Classifies a format that a workbook defines, such as `dd/mm/yyyy hh:mm` or `#,##0.00 "m"`. */
export function kindOf(format: string): NumberKind {
  const [positive = ''] = format.replaceAll(NO_CODE, '').toLowerCase().split(';')
  if (positive.includes('general')) return 'number'
  if (/\[[hms]+\]/.test(positive)) return 'duration'
  const hasTime = /[hs]/.test(positive)
  const hasDate = /[dy]/.test(positive) || (positive.includes('m') && !hasTime)
  if (hasDate) return hasTime ? 'moment' : 'date'
  return hasTime ? 'time' : 'number'
}

const DAY_S = 86_400

/** Formats a stored number: dates are days since an epoch, 4.6 is stored as 4.5999999999999996. */
export function showNumber(stored: string, kind: NumberKind, from1904: boolean): string {
  const value = Number(stored)
  if (!Number.isFinite(value)) return stored
  // A whole number is kept as it is: one beyond Excel's 15 digits is exact, from another program.
  if (kind === 'number')
    return /^-?\d+$/.test(stored) ? stored : String(Number(value.toPrecision(15)))
  const seconds = Math.round(value * DAY_S)
  if (kind === 'duration') return clock(seconds)
  const day = Math.floor(seconds / DAY_S)
  const time = seconds - day * DAY_S
  if (kind === 'time') return clock(time)
  const date = dateOf(day, from1904)
  if (date === undefined) return stored
  return kind === 'date' && time === 0 ? date : `${date} ${clock(time)}`
}

/** Converts a day number. Excel counts the non-existent 29 February 1900 as day 60. */
function dateOf(day: number, from1904: boolean): string | undefined {
  const shift = day > 60 ? 25_569 : 25_568
  const date = new Date((day - (from1904 ? 24_107 : shift)) * DAY_S * 1_000)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/T.*/, '')
}

function clock(seconds: number): string {
  const sign = seconds < 0 ? '-' : ''
  const rest = Math.abs(seconds)
  const parts = [Math.floor(rest / 3_600), Math.floor(rest / 60) % 60, rest % 60]
  return sign + parts.map((part) => String(part).padStart(2, '0')).join(':')
}
