import { visible } from '../../../base/text/visible.ts'

const MAX_QUOTE = 160

/** Zero-width and filler characters; joiners only where the script around them needs none. */
export const UNSEEN =
  /[\u00AD\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u2060-\u2064\u206A-\u206F\u3164\uFEFF\uFFA0]|(?<=[\p{Script=Latin}\d\s])[\u200C\u200D]/gu

/** Returns a part of a text as it may be shown: on one line, each control character visible. */
export function toQuote(text: string): string {
  const shown = visible(text.slice(0, 2 * MAX_QUOTE))
    .replaceAll(UNSEEN, code)
    .replaceAll('\u001B', code)
    .replaceAll(/\s+/gu, ' ')
    .trim()
  return shown.length > MAX_QUOTE ? `${shown.slice(0, MAX_QUOTE - 1)}…` : shown
}

function code(char: string): string {
  return `\\u{${char.codePointAt(0)?.toString(16)}}`
}
