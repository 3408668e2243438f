/** Major versions that are released; a text that pins a lower one is out of date. */
const CURRENT_MAJORS: Readonly<Record<string, number>> = {
  angular: 20,
  '@angular/core': 20,
  astro: 5,
  django: 5,
  eslint: 9,
  express: 5,
  flask: 3,
  jest: 30,
  next: 15,
  node: 22,
  numpy: 2,
  nuxt: 4,
  pandas: 2,
  postgres: 17,
  postgresql: 17,
  pydantic: 2,
  pytest: 8,
  python: 3,
  rails: 8,
  react: 19,
  'react-dom': 19,
  redis: 7,
  rollup: 4,
  'spring-boot': 3,
  sqlalchemy: 2,
  svelte: 5,
  tailwindcss: 4,
  typescript: 5,
  vite: 7,
  vitest: 3,
  vue: 3,
  webpack: 5,
  zod: 4,
}

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
    const current = CURRENT_MAJORS[name.toLowerCase()]
    if (current !== undefined && Number(major) < current)
      signs.add(`pins ${pin.trim()}, and ${name.toLowerCase()} is at ${current} or later`)
  }
  const old = Math.max(OLD_YEAR, new Date(now).getUTCFullYear() - YEARS)
  for (const [claim, year] of text.matchAll(AS_OF))
    if (Number(year) <= old) signs.add(`says “${claim}”`)
  return [...signs]
}
