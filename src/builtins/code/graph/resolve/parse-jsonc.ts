/** JSON with comments and trailing commas, as `tsconfig.json` is written; undefined when it is not even that. */
export function parseJsonc(text: string): unknown {
  const plain = text.replace(
    /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*(?:(?:\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)\s*)*[}\]])/g,
    (_, string: string | undefined) => string ?? '',
  )
  try {
    return JSON.parse(plain.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
