/** Chinese characters, kana and their punctuation, which are written without spaces; Korean has spaces. */
const UNSPACED = '[\\u3000-\\u30ff\\u3400-\\u9fff\\uff00-\\uffef]'
const GAP = new RegExp(`(?<=${UNSPACED})\\s+(?=${UNSPACED})`, 'g')

/** A line may end within a word of such a script: there its break is no space. */
export function unwrap(text: string): string {
  return text.replace(GAP, (gap) => (gap.includes('\n') ? '' : gap))
}

/** Lines of one paragraph as one line. */
export function joinLines(lines: readonly string[]): string {
  return unwrap(lines.join('\n')).replaceAll('\n', ' ')
}
