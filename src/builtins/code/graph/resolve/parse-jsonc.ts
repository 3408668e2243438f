import { type ParseError, parse } from 'jsonc-parser'

/** Parses JSON with comments and trailing commas, as in `tsconfig.json`; undefined if invalid. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = []
  try {
    const value: unknown = parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true })
    return errors.length === 0 ? value : undefined
  } catch (error) {
    // The parser recurses for each level, and a file may be nested too deeply for the stack.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
