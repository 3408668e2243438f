import { withoutInvisible } from '../../../base/text/invisible.ts'
import { UNSEEN } from './to-quote.ts'

/** Letters of other scripts that look like Latin ones, in which words hide from a search. */
const LOOKALIKES = new Map(
  Object.entries({ а: 'a', в: 'b', е: 'e', ё: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p' }).concat(
    Object.entries({ с: 'c', т: 't', у: 'y', х: 'x', і: 'i', ј: 'j', ѕ: 's', ԁ: 'd', ո: 'n' }),
    Object.entries({
      α: 'a',
      ε: 'e',
      ι: 'i',
      κ: 'k',
      ν: 'v',
      ο: 'o',
      ρ: 'p',
      τ: 't',
      υ: 'u',
      χ: 'x',
    }),
  ),
)
/** A word with Latin letters and lookalikes. */
const MIXED = /[a-z][\p{L}]{0,40}[\u0370-\u058F]|[\u0370-\u058F][\p{L}]{0,40}[a-z]/u
const FOREIGN = /[\u0370-\u058F]/gu

const MAX_SENTENCE = 600
const END = /(?<=[.!?。！？;])\s+|\n\s*\n|\n\s*[-*•\d]+[.)]?\s|[。！？]/u

/** Returns a text as a reader takes it in: one case, one kind of letters and quotes, one space. */
export function fold(text: string): string {
  const lower = withoutInvisible(text)
    .normalize('NFKC')
    .replaceAll(UNSEEN, '')
    .toLowerCase()
    .replaceAll(/[‘’ʼ`´]/gu, "'")
    .replaceAll(/[“”«»]/gu, '"')
  return MIXED.test(lower)
    ? lower.replaceAll(FOREIGN, (letter) => LOOKALIKES.get(letter) ?? letter)
    : lower
}

/** Whether a word mixes scripts to look like another word. */
export function isDisguised(word: string): boolean {
  return MIXED.test(word.toLowerCase())
}

/** Splits a folded text into sentences, none longer than a rule looks at. */
export function sentencesOf(folded: string): string[] {
  return folded
    .split(END)
    .map((sentence) => sentence.replaceAll(/\s+/gu, ' ').trim())
    .filter((sentence) => sentence.length > 3)
    .flatMap(pieces)
}

function pieces(sentence: string): string[] {
  const count = Math.ceil(sentence.length / MAX_SENTENCE)
  return Array.from({ length: count }, (_, index) =>
    // Pieces overlap, so that no order is cut in two.
    sentence.slice(Math.max(0, index * MAX_SENTENCE - 100), (index + 1) * MAX_SENTENCE),
  )
}
