/**
 * Characters that nobody sees but a model reads, in which a description can hide instructions: tags,
 * direction marks and the like. The joiners U+200C and U+200D are part of how some scripts are written.
 */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cf}\u{e0100}-\u{e01ef}]|(?!\s)\p{Cc}/gu

/** Turns prose into one short line: removes markup, and cuts at a sentence or a word. */
export function plainText(markdown: string, maxChars: number): string {
  if (maxChars <= 0) return ''
  const line = markdown
    .slice(0, maxChars * 8)
    .replaceAll(INVISIBLE, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`#]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (line.length <= maxChars) return line
  const head = line.slice(0, maxChars)
  const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('.\n'))
  if (sentence > maxChars / 3) return head.slice(0, sentence + 1)
  const word = head.lastIndexOf(' ', maxChars - 1)
  return `${head.slice(0, word > maxChars / 2 ? word : maxChars - 1)}…`
}
