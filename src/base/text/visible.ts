const CONTROLS = /\r\n|\p{Cc}(?:\[[\d;]*m)?|[\u202a-\u202e\u2066-\u2069]/gu
const LINES = new Set(['\n', '\t', '\r\n'])
const COLOUR = '\u001B['

/** Characters that show nothing, or turn the direction of text; also those of no meaning yet. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Returns a name of others as a person sees it, so that two names that look the same are the same. */
export function visibleName(text: string): string {
  return text.replaceAll(INVISIBLE, '').replaceAll(/\s+/g, ' ').trim()
}

/**
 * Makes text of others safe for a terminal: colours and line breaks stay, every other control
 * character is shown instead of obeyed. Otherwise a server could set the title of the window, write
 * to the clipboard, paint over earlier output, or turn the direction of text so that a name looks
 * like another.
 */
export function visible(text: string): string {
  return text.replaceAll(CONTROLS, (found) => {
    const [sign = ''] = found
    if (LINES.has(sign) || LINES.has(found) || found.startsWith(COLOUR)) return found
    const code = sign.charCodeAt(0).toString(16).padStart(2, '0')
    return `\\${code.length > 2 ? 'u' : 'x'}${code}${found.slice(1)}`
  })
}
