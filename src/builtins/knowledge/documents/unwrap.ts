/** Chinese characters, kana and their punctuation, which need no spaces; Korean uses spaces. */
const UNSPACED = '[\\u3000-\\u30ff\\u3400-\\u9fff\\uff00-\\uffef]'
const GAP = new RegExp(`(?<=${UNSPACED})\\s+(?=${UNSPACED})`, 'g')

/** Removes line breaks between characters of such a script, which do not stand for a space. */
export function unwrap(text: string): string {
  return text.replace(GAP, (gap) => (gap.includes('\n') ? '' : gap))
}

/** Joins the lines of a paragraph into one line. */
export function joinLines(lines: readonly string[]): string {
  return unwrap(lines.join('\n')).replaceAll('\n', ' ')
}
