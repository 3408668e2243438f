/** Decodes percent-encoded text; returns invalid text, such as a bare `%`, unchanged. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
