import { editDistance } from '../../base/text/nearest.ts'

export type TextChange = 'same' | 'cosmetic' | 'reworded'

/** At most so many words of a text may be spelt differently, or one in twenty of a long one. */
const MAX_RESPELT = 2
const MAX_SHARE = 0.05
/** Shorter words mean something else when a letter changes: `can`, `now`, `not`. */
const MIN_LENGTH = 4
/** From here on, two letters may differ. */
const LONG = 8
/** Far more than a description has: comparing takes time. */
const MAX_CHARS = 50_000

const EXAMPLES =
  /\((?:e\.g\.|for example|example)[^)]*\)|\b(?:e\.g\.|for example|examples?:)[^\n]*/giu

/** Says how a text that models read has changed. */
export function compareTexts(before: string, after: string): TextChange {
  if (before === after) return 'same'
  if (Math.max(before.length, after.length) > MAX_CHARS) return 'reworded'
  const [one, other] = [wordsOf(before), wordsOf(after)]
  if (isRespelt(one, other)) return 'cosmetic'
  const [plain, otherPlain] = [before, after].map((text) => wordsOf(text.replaceAll(EXAMPLES, ' ')))
  return plain && otherPlain && plain.length > 0 && isRespelt(plain, otherPlain)
    ? 'cosmetic'
    : 'reworded'
}

/** Splits a text into words, without formatting. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  )
}

function isRespelt(before: readonly string[], after: readonly string[]): boolean {
  if (before.length !== after.length) return false
  const changed = before.flatMap((word, index) => {
    const other = after[index] ?? ''
    return word === other ? [] : [[word, other] as const]
  })
  return (
    changed.length <= Math.max(MAX_RESPELT, before.length * MAX_SHARE) &&
    changed.every(([word, other]) => isOneWord(word, other))
  )
}

/** Whether two words are spellings of one: a number never is. */
function isOneWord(word: string, other: string): boolean {
  const shorter = Math.min(word.length, other.length)
  const edits = shorter < LONG ? 1 : 2
  return (
    shorter >= MIN_LENGTH &&
    word[0] === other[0] &&
    !/\p{N}/u.test(word + other) &&
    editDistance(word, other, edits) <= edits
  )
}
