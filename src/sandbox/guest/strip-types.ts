import { createRequire } from 'node:module'

/** A syntax error in a source, with its position if known. */
export class SourceError extends SyntaxError {
  override readonly name = 'SyntaxError'
  readonly line: number | undefined
  readonly column: number | undefined

  constructor(message: string, place: { line?: unknown; column?: unknown } = {}) {
    super(message)
    this.line = typeof place.line === 'number' ? place.line : undefined
    this.column = typeof place.column === 'number' ? place.column : undefined
  }
}

const require = createRequire(import.meta.url)

/**
 * Turns TypeScript into JavaScript and keeps every position: types become spaces. The parser has no
 * depth limit, and a deeply nested source breaks its instance permanently: after any error that is
 * not about the source, the instance is discarded.
 */
export function stripTypes(source: string): string {
  const file = require.resolve('@swc/wasm-typescript')
  try {
    // A broken instance must be loaded again, which `import` cannot do.
    const swc: typeof import('@swc/wasm-typescript') = require(file)
    return swc.transformSync(source, { mode: 'strip-only' }).code
  } catch (error) {
    const { code, message, startLine, startColumn } = Object(error)
    if (typeof code === 'string')
      throw new SourceError(String(message), { line: startLine, column: startColumn })
    delete require.cache[file]
    throw new SourceError('the source is nested too deeply')
  }
}
