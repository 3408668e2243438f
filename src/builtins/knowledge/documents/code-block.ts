import type { Block } from './document.ts'

/** Whether paragraphs of a style with this name are code, in a document of a word processor. */
export function isCodeStyle(name: string): boolean {
  return /code|preformatted|verbatim|listing/i.test(name)
}

/** Returns the block of lines of code without empty ones around them; none if all are empty. */
export function codeBlock(lines: readonly string[]): Block | undefined {
  const shown = lines.slice(lines.findIndex(Boolean), lines.findLastIndex(Boolean) + 1)
  return shown.length > 0 ? { kind: 'code', text: shown.join('\n') } : undefined
}
