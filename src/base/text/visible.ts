const CONTROLS = /\r\n|\p{Cc}(?:\[[\d;]*m)?/gu
const LINES = new Set(['\n', '\t', '\r\n'])
const COLOUR = '\u001B['

/**
 * Makes text of others safe for a terminal: colours and line breaks stay, every other control
 * character is shown instead of obeyed. Otherwise a server could set the title of the window, write
 * to the clipboard or paint over earlier output.
 */
export function visible(text: string): string {
  return text.replaceAll(CONTROLS, (found) => {
    const [sign = ''] = found
    if (LINES.has(sign) || LINES.has(found) || found.startsWith(COLOUR)) return found
    return `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}${found.slice(1)}`
  })
}
