/** A percent-encoded text, decoded; one that is not well encoded, such as a bare `%`, as it is. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
