import { type Block, blockText } from './document.ts'
import { type KeywordStyle, proseSentences } from './normative.ts'

/** The boilerplate of BCP 14, or a definition of keywords: "the words must, should and may …". */
const BCP14 = /\b(?:RFC\s?2119|BCP\s?14)\b/
const EXPLAINED =
  /\b(?:words?|terms?|verbs?)\b[^.\n]{0,60}\b(?:must|shall)\b[^.\n]{0,60}\b(?:should|may)\b/i
const CAPITAL = /\b(?:MUST|SHALL|SHOULD)\b/g
const MIN_KEYWORDS = 5
/** The fewest keywords per thousand words of a binding text; guides have half as many. */
const [SHALL_PER_THOUSAND, MUST_PER_THOUSAND] = [1, 3]

/**
 * Decides from a document's usage whether its lower-case keywords are binding. `isStandard` forces
 * this, unless the document writes its keywords in capitals or has none.
 */
export function keywordStyle(blocks: readonly Block[], isStandard: boolean): KeywordStyle {
  const prose = blocks.filter(({ kind }) => kind !== 'code' && kind !== 'heading').map(blockText)
  const sentences = prose.flatMap(proseSentences)
  const text = sentences.join('\n')
  const [shall, must] = [count(text, /\bshall\b/g), count(text, /\bmust\b/g)]
  const capitals = count(text, CAPITAL)
  if (capitals >= MIN_KEYWORDS && (BCP14.test(text) || capitals >= shall + must)) return 'capitals'
  if (isStandard || EXPLAINED.test(text)) return shall + must > 0 ? 'lowercase' : 'capitals'
  const thousands = text.split(/\s+/).length / 1000
  const isDrafted =
    (shall >= MIN_KEYWORDS && shall >= thousands * SHALL_PER_THOUSAND) ||
    (must >= MIN_KEYWORDS && must >= thousands * MUST_PER_THOUSAND)
  return isDrafted ? 'lowercase' : 'capitals'
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
