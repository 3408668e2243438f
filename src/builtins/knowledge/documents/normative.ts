/** The strongest first. */
export const OBLIGATIONS = ['requirement', 'recommendation', 'permission'] as const
export type Obligation = (typeof OBLIGATIONS)[number]

export interface NormativeState {
  /** True: binding. False: informative. Null: the text does not say. */
  readonly normative: boolean | null
  readonly obligation: Obligation | null
}

/**
 * Which keywords are binding in a document: those of BCP 14 in capitals, or the same words in lower
 * case, as in ISO standards, Debian Policy and FHS.
 */
export type KeywordStyle = 'capitals' | 'lowercase'

type Keywords = Readonly<Record<Obligation, RegExp>>

const CAPITALS: Keywords = {
  requirement: /\b(?:SHALL|MUST|REQUIRED)\b/,
  recommendation: /\b(?:SHOULD|RECOMMENDED)\b/,
  permission: /\b(?:MAY|OPTIONAL)\b/,
}
/** Excludes conditions ("should the file exist") and descriptions ("hooks that must be set"). */
const LOWERCASE: Keywords = {
  requirement:
    /(?<!\b(?:that|which|who) )\b(?:shall|must)\b|\b(?:is|are)(?: also)? (?:required|mandatory|prohibited|forbidden|not (?:allowed|permitted))\b|\brequirements? (?:for|of|on)\b.*\b(?:are the same|appl(?:y|ies))\b/i,
  recommendation:
    /(?<!\b(?:that|which|who|that it|that they) )\bshould\b(?!\s+(?:you|we|they|it|this|that|there|a|an|the|any)\b)|\b(?:is|are)(?: strongly)? (?:recommended|discouraged|encouraged)\b/i,
  permission: /\b(?:may|need not)\b|\b(?:is|are) (?:optional|permitted|allowed)\b/i,
}
const EXPLAINING = /^[\d.\s]*(?:rationale|bibliography|change (?:log|history)|acknowledge?ments?)$/i
const INFORMATION = /\b(?:CAN|NOTE|EXAMPLE|INFORMATIVE)\b/
const NOTE = /^(?:NOTE|EXAMPLE)\b/
const CODE = /^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm
const SENTENCES = /(?<=[.!?:;])\s+|\n+/
/** A clause that only states a condition: "If a file must be elsewhere, it may be moved." */
const CONDITION = /^(?:if|when|where|unless)\b[^,]*\b(?:must|should|shall)\b[^,]*,/i
/** A keyword in quotation marks is mentioned, not used. */
const QUOTED = /["“][A-Z ]+["”]/g

/**
 * Classifies a text as binding or informative. A section marked "(normative)" or "(informative)"
 * decides first, then the keywords in the style of the document. Code and sentences in capitals
 * (licences, copyright notices) are ignored.
 */
export function normativeState(
  text: string,
  sections: readonly string[],
  style: KeywordStyle = 'capitals',
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

/** Returns the nearest marker in the section path; a rationale or bibliography is informative. */
export function markedNormative(sections: readonly string[]): boolean | null {
  for (const section of sections.toReversed()) {
    if (EXPLAINING.test(section)) return false
    const marker = /\((normative|informative)\)/i.exec(section)?.[1]?.toLowerCase()
    if (marker) return marker === 'normative'
  }
  return null
}

/** Combines the states of several texts: the strongest counts. */
export function strongest(states: readonly NormativeState[]): NormativeState {
  const obligation =
    OBLIGATIONS.find((one) => states.some((state) => state.obligation === one)) ?? null
  const normative = [true, false].find((one) => states.some((state) => state.normative === one))
  return { normative: normative ?? null, obligation }
}

function obligationOf(text: string, style: KeywordStyle): Obligation | null {
  const keywords = style === 'capitals' ? CAPITALS : LOWERCASE
  const sentences = proseSentences(text)
  return (
    OBLIGATIONS.find((one) => sentences.some((sentence) => keywords[one].test(sentence))) ?? null
  )
}

/** Returns the sentences that state an obligation of these kinds, in the style the text uses. */
export function statedIn(text: string, kinds: readonly Obligation[]): string[] {
  const sentences = proseSentences(text).map((sentence) => sentence.trim())
  for (const keywords of [CAPITALS, LOWERCASE]) {
    const found = sentences.filter((one) => kinds.some((kind) => keywords[kind].test(one)))
    if (found.length > 0) return found
  }
  return []
}

/** Returns the sentences that may be binding: no code, notes, examples, or text in capitals. */
export function proseSentences(text: string): string[] {
  const sentences = text.replace(CODE, '').split(SENTENCES)
  return sentences
    .filter((sentence) => !isShouted(sentence) && !NOTE.test(sentence))
    .map((sentence) => sentence.replace(QUOTED, '').replace(CONDITION, ''))
}

function isShouted(sentence: string): boolean {
  const letters = sentence.match(/\p{L}/gu)?.length ?? 0
  const capitals = sentence.match(/\p{Lu}/gu)?.length ?? 0
  return letters >= 20 && capitals > letters * 0.7
}
