/**
 * Decodes percent-encoded text; returns text with invalid encoding, such as a bare `%`, as it is.
 */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
