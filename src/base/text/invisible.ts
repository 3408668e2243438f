// Tags and variation selectors of plane 14 spell any text without showing it, and controls of
// direction show a text as another. Joiners and marks that scripts need are not among them.
const TAGS = /[\u{E0000}-\u{E0FFF}]/u
const INVISIBLE = /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E0FFF}]/u
const ALL_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/** Whether a text has characters that models read and nothing shows. */
export function hasTags(text: string): boolean {
  return TAGS.test(text)
}

/** Whether a text may show people something else than what models read. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text)
}

/** Removes the characters by which a text shows people something else than what models read. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(ALL_INVISIBLE, '')
}
