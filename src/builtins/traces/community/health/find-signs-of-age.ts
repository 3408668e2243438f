/** Major versions that are released; a text that pins a lower one is out of date. */
const CURRENT_MAJORS = new Map(
  (
    [
      [2, 'numpy pandas pydantic sqlalchemy'],
      [3, 'flask python spring-boot vitest vue'],
      [4, 'nuxt rollup tailwindcss zod'],
      [5, 'astro django express svelte typescript webpack'],
      [7, 'redis vite'],
      [8, 'pytest rails'],
      [9, 'eslint'],
      [15, 'next'],
      [17, 'postgres postgresql'],
      [19, 'react react-dom'],
      [20, 'angular @angular/core'],
      [22, 'node'],
      [30, 'jest'],
    ] as const
  ).flatMap(([major, names]) => names.split(' ').map((name) => [name, major] as const)),
)

/**
 * Matches `react@17`, `django==3.2`, `node:16-alpine`, `"next": "^12.1"` and `numpy~=1.24`, but not
 * `react: 3 hooks`.
 */
const PIN =
  /(?<![\w@/.-])(@?[a-z][\w./-]{1,40}?)(?:"\s{0,2}:\s{0,2}"[\^~]?|@[\^~]?|\s?[=~]=\s?|:(?=\d))v?(\d{1,3})(?=[.\s"'`,;)\-x]|$)/gi
const AS_OF =
  /\bas of (?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z.]{0,6} )?(20\d\d)\b/gi
/** Years up to 2024, as in the contract, and up to two years ago count as old. */
const OLD_YEAR = 2024
const YEARS = 2

/** Returns the signs that a text was written for older versions or some time ago. */
export function findSignsOfAge(text: string, now: number): string[] {
  const signs = new Set<string>()
  for (const [pin, name = '', major = ''] of text.matchAll(PIN)) {
    const current = CURRENT_MAJORS.get(name.toLowerCase())
    if (current !== undefined && Number(major) < current)
      signs.add(`pins ${pin.trim()}, and ${name.toLowerCase()} is at ${current} or later`)
  }
  const old = Math.max(OLD_YEAR, new Date(now).getUTCFullYear() - YEARS)
  for (const [claim, year] of text.matchAll(AS_OF))
    if (Number(year) <= old) signs.add(`says “${claim}”`)
  return [...signs]
}
