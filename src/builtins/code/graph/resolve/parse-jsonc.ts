import { type ParseError, parse } from 'jsonc-parser'

/** JSON with comments and trailing commas, as `tsconfig.json` is written; undefined when it is not even that. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = []
  try {
    const value: unknown = parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true })
    return errors.length === 0 ? value : undefined
  } catch (error) {
    // The parser calls itself for each level, and a file may be nested as deep as it likes.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
