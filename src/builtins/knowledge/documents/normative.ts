export type Obligation = 'requirement' | 'recommendation' | 'permission'

export interface NormativeState {
  /** True: binds the reader. False: informs. Null: nothing says so either way. */
  readonly normative: boolean | null
  readonly obligation: Obligation | null
}

/** Lower-case "shall" counts only in documents that follow the ISO/IEC drafting rules. */
export type KeywordStyle = 'bcp14' | 'iso'

const REQUIREMENT = /\b(?:SHALL|MUST|REQUIRED)\b/
const RECOMMENDATION = /\b(?:SHOULD|RECOMMENDED)\b/
const PERMISSION = /\b(?:MAY|OPTIONAL)\b/
const INFORMATION = /\b(?:CAN|NOTE|EXAMPLE|INFORMATIVE)\b/

/**
 * What a piece of text asks of its reader. A section marked "(normative)" or "(informative)" decides;
 * then the capitalised keywords. Lower-case "may", "can", "note", "should" are prose.
 */
export function normativeState(
  text: string,
  sections: readonly string[],
  style: KeywordStyle = 'bcp14',
): NormativeState {
  const obligation = obligationOf(text, style)
  const marked = markedNormative(sections)
  if (marked !== null) return { normative: marked, obligation: marked ? obligation : null }
  if (obligation === 'requirement' || obligation === 'recommendation') {
    return { normative: true, obligation }
  }
  const informs = obligation === 'permission' || INFORMATION.test(text)
  return { normative: informs ? false : null, obligation }
}

/** The nearest marker in the section path wins. */
export function markedNormative(sections: readonly string[]): boolean | null {
  for (const section of sections.toReversed()) {
    const marker = /\((normative|informative)\)/i.exec(section)?.[1]?.toLowerCase()
    if (marker) return marker === 'normative'
  }
  return null
}

/** A standard without one capitalised SHALL or MUST, but with "shall" throughout, is drafted the ISO way. */
export function keywordStyle(text: string): KeywordStyle {
  if (/\b(?:SHALL|MUST)\b/.test(text)) return 'bcp14'
  return (text.match(/\bshall\b/g)?.length ?? 0) >= 5 ? 'iso' : 'bcp14'
}

function obligationOf(text: string, style: KeywordStyle): Obligation | null {
  if (REQUIREMENT.test(text) || (style === 'iso' && /\bshall\b/.test(text))) return 'requirement'
  if (RECOMMENDATION.test(text)) return 'recommendation'
  return PERMISSION.test(text) ? 'permission' : null
}
