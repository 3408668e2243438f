import { splitIdentifier } from './split-identifier.ts'

export interface WordParts {
  /** In lower case and without accents. */
  readonly parts: readonly string[]
  /** The whole word in the same spelling; undefined in scripts without spaces between words. */
  readonly whole: string | undefined
}

const NOT_ASCII = /[^\0-\x7f]/
const MARKS = /\p{M}/gu
const IDEOGRAPH = '[\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af]'
const HAS_IDEOGRAPHS = new RegExp(IDEOGRAPH)
const IDEOGRAPH_RUN = new RegExp(`(${IDEOGRAPH}+)`)

export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text)
}

/**
 * Returns what a word is found by, both in the index and in queries: `getGröße` → get, große.
 * Scripts without spaces between words give pairs of characters: `全文検索` → 全文, 文検, 検索.
 */
export function wordParts(
  word: string,
  { identifiers }: { readonly identifiers: boolean },
): WordParts {
  const split = (text: string) => (identifiers ? splitIdentifier(text) : [text.toLowerCase()])
  if (isAscii(word)) return { parts: split(word), whole: word.toLowerCase() }
  const composed = word.normalize('NFKC')
  if (HAS_IDEOGRAPHS.test(composed)) {
    const runs = composed.split(IDEOGRAPH_RUN).filter((run) => run !== '')
    const parts = runs.flatMap((run) =>
      HAS_IDEOGRAPHS.test(run) ? pairs(run) : split(withoutMarks(run)),
    )
    return { parts, whole: undefined }
  }
  const plain = withoutMarks(composed)
  return { parts: split(plain), whole: plain.toLowerCase() }
}

function withoutMarks(text: string): string {
  return text.normalize('NFKD').replace(MARKS, '')
}

function pairs(run: string): string[] {
  const characters = Array.from(run)
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}
