const NUMBERED =
  /^(?:(clause|section|chapter|part|article|§)\s*)?(\d{1,2}(?:\.\d{1,3}){0,5})(\.?)(?=[\s:–—)-]|$)[\s:–—)-]*(.*)$/i
const LETTERED = /^([A-Z](?:\.\d{1,3}){1,5})\.?(?=[\s:–—)-]|$)/
const ANNEX = /^(?:annex|appendix)\s+([A-Z]|\d{1,2}|[IVX]{1,5})(?:\.(\d+(?:\.\d+)*))?\b/i

/**
 * Returns the clause number of a heading, or undefined. Only for headings, not for prose. A bare
 * integer counts only before a capitalised title, so "10 days to comply" has no clause number.
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

/** Returns the depth of a clause: 1 for "4" and "A", 3 for "4.2.1". */
export function clauseDepth(clause: string): number {
  return clause.split('.').length
}

/** Whether a clause equals another or is under it: "4.2.1" is under "4.2", "4.20" is not. */
export function isUnderClause(clause: string, prefix: string): boolean {
  return clause === prefix || clause.startsWith(`${prefix.replace(/\.$/, '')}.`)
}

/** Whether a clause may follow another: it is later, in the same or next chapter or in Annex A. */
export function mayFollow(clause: string, last: string): boolean {
  const [[first = 0], [chapter = 0]] = [parts(clause), parts(last)]
  const isFirstAnnex = first === parts('A')[0]
  return compare(clause, last) > 0 && (first - chapter <= 1 || isFirstAnnex)
}

/** Whether a clause directly follows another: as its first subclause, or next at any level. */
export function isNextClause(clause: string, last: string): boolean {
  const [own, before] = [parts(clause), parts(last)]
  const [number, depth] = [own.at(-1) ?? 0, own.length - 1]
  const inside = depth === before.length && number === 1
  const after = depth < before.length && number === (before[depth] ?? 0) + 1
  return (inside || after) && own.slice(0, -1).every((part, at) => part === before[at])
}

function compare(a: string, b: string): number {
  const [first, second] = [parts(a), parts(b)]
  const at = first.findIndex((part, index) => part !== second[index])
  return at < 0 ? first.length - second.length : (first[at] ?? 0) - (second[at] ?? -1)
}

/** Splits a clause into numbers. Annex letters sort after all chapter numbers. */
function parts(clause: string): number[] {
  return clause
    .split('.')
    .map((part) => (/^\d/.test(part) ? Number(part) : part.charCodeAt(0) + 1000))
}

/** Returns a heading without its clause number. */
export function sectionName(title: string): string {
  const clause = clauseNumber(title)
  // "Appendix A" starts with the letter A, but not with its clause number.
  if (!clause || !title.startsWith(clause) || /^[\p{L}\p{N}]/u.test(title.slice(clause.length)))
    return title
  return title.slice(clause.length).replace(/^[.\s:–—)-]+/, '') || title
}
