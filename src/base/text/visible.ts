const CONTROLS = /\r\n|\p{Cc}(?:\[[\d;]*m)?/gu
const LINES = new Set(['\n', '\t', '\r\n'])
const COLOUR = '\u001B['

/**
 * Text that may be of others, for a terminal: colours and lines stay, every other control character is
 * shown instead of obeyed. A server could otherwise set the title of the window, write to the clipboard
 * or paint over what is above.
 */
export function visible(text: string): string {
  return text.replaceAll(CONTROLS, (found) => {
    const [sign = ''] = found
    if (LINES.has(sign) || LINES.has(found) || found.startsWith(COLOUR)) return found
    return `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}${found.slice(1)}`
  })
}
