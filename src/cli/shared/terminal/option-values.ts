import { InvalidArgumentError } from 'commander'
import { Option } from '../../shared/commander.ts'

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

function isUnit(text: string | undefined): text is keyof typeof UNITS_MS {
  return text !== undefined && text in UNITS_MS
}

/** Parses `90s`, `15m`, `2h` or `30d`; returns milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? []
  if (amount === undefined || !isUnit(unit)) {
    throw new InvalidArgumentError('Expected a duration such as 90s, 15m, 2h or 30d.')
  }
  return Number(amount) * UNITS_MS[unit]
}

/** An option whose help shows its default as it would be typed. */
export function durationOption<Flags extends string>(
  flags: Flags,
  about: string,
  fallback: string,
) {
  return new Option(flags, about)
    .argParser(parseDuration)
    .default(parseDuration(fallback), fallback)
}

/** Parses a duration from now, or a date such as 2027-01-31; returns epoch milliseconds. */
export function parseMoment(text: string): number {
  return parseDate(text) ?? Date.now() + durationOrDate(text)
}

/** Parses a duration back from now, or a date; returns epoch milliseconds. */
export function parsePast(text: string): number {
  return parseDate(text) ?? Date.now() - durationOrDate(text)
}

function durationOrDate(text: string): number {
  try {
    return parseDuration(text)
  } catch {
    throw new InvalidArgumentError(
      'Expected a duration such as 90s, 2h or 30d, or a date such as 2027-01-31.',
    )
  }
}

function parseDate(text: string): number | undefined {
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : date
}

/** Returns a parser of whole numbers within bounds. */
export function numberBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (Number.isInteger(number) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
}

/** Parses the number of a version, or how many of them. */
export function toVersion(text: string): number {
  return numberBetween(0, 1_000_000)(text)
}
