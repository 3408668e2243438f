const NUMBERED =
  /^(?:(clause|section|chapter|part|article|§)\s*)?(\d{1,2}(?:\.\d{1,3}){0,5})(\.?)(?=[\s:–—)-]|$)[\s:–—)-]*(.*)$/i
const LETTERED = /^([A-Z](?:\.\d{1,3}){1,5})\.?(?=[\s:–—)-]|$)/
const ANNEX = /^(?:annex|appendix)\s+([A-Z]|\d{1,2}|[IVX]{1,5})(?:\.(\d+(?:\.\d+)*))?\b/i

/**
 * The clause a heading names, or undefined. Only headings are asked: a number in prose is a number.
 * A bare integer counts only before a capitalised title, so that "10 days to comply" names no clause.
 */
export function clauseNumber(heading: string): string | undefined {
  const text = heading.trim()
  return annexNumber(text) ?? LETTERED.exec(text)?.[1] ?? plainNumber(text)
}

function annexNumber(text: string): string | undefined {
  const found = ANNEX.exec(text)
  const annex = found?.[1]?.toUpperCase()
  return found?.[2] ? `${annex}.${found[2]}` : annex
}

function plainNumber(text: string): string | undefined {
  const found = NUMBERED.exec(text)
  if (!found) return undefined
  const [, word, number = '', dot, title = ''] = found
  return number.includes('.') || word || dot || /^[A-Z(“"]/.test(title) ? number : undefined
}

/** How deep a clause lies: 1 for "4" and "A", 3 for "4.2.1". */
export function clauseDepth(clause: string): number {
  return clause.split('.').length
}

/** Whether a clause is, or lies under, another: "4.2.1" is under "4.2", "4.20" is not. */
export function isUnderClause(clause: string, prefix: string): boolean {
  return clause === prefix || clause.startsWith(`${prefix.replace(/\.$/, '')}.`)
}
