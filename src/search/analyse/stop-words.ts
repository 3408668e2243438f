import { splitIdentifier } from './split-identifier.ts'

/** English words that say nothing about what is searched for, including question words. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be been being but by can could did do does doing done each either etc for from get gets
  had has have having how i if in into is it its itself just may might more most must my no nor not of off on
  once one only onto or other our out over own per same shall she should so some such than that the their them
  then there these they this those through to too under until up upon us using use used uses via was we were
  what when where which while who whom whose why will with within without would you your`.split(
    /\s+/,
  ),
)

/**
 * Returns the words of a text that carry meaning, with identifiers split; numbers are values and
 * carry none.
 */
export function contentWords(text: string): string[] {
  return splitIdentifier(text).filter((word) => !STOP_WORDS.has(word) && !/^\d/.test(word))
}
