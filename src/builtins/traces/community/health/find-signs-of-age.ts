const AS_OF =
  /\bas of (?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z.]{0,6} )?(20\d\d)\b/gi
/** Years up to 2024, as in the contract, and up to two years ago count as old. */
const OLD_YEAR = 2024
const YEARS = 2

/** Returns what a text says to be true as of a year long gone. */
export function findSignsOfAge(text: string, now: number): string[] {
  const signs = new Set<string>()
  const old = Math.max(OLD_YEAR, new Date(now).getUTCFullYear() - YEARS)
  for (const [claim, year] of text.matchAll(AS_OF))
    if (Number(year) <= old) signs.add(`says “${claim}”`)
  return [...signs]
}
