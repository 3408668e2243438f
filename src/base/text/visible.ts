const CONTROLS = /\r\n|\u001B\[[\d;]*m|[^\P{Cc}\n\t]/gu

/**
 * Text that may be of others, for a terminal: colours and lines stay, every other control character is
 * shown instead of obeyed. A server could otherwise set the title of the window, write to the clipboard
 * or paint over what stands above.
 */
export function visible(text: string): string {
  return text.replaceAll(CONTROLS, (found) =>
    found.length > 1 ? found : `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
