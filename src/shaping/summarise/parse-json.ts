/** The object or array that a text holds, or undefined for any other text. */
export function parseJson(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
