export type SymbolType = 'function' | 'class' | 'method' | 'interface' | 'constant' | 'module'

export interface CodeSymbol {
  readonly name: string
  readonly type: SymbolType
  /** 1-based and inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** The names of the enclosing symbols, outermost first, joined by dots; empty at the top. */
  readonly scope: string
  /** The first line of the definition, trimmed and at most 200 characters. */
  readonly signature: string
}

export function qualifiedName({ name, scope }: CodeSymbol): string {
  return scope === '' ? name : `${scope}.${name}`
}

/** Turns `A::b` and `A#b`, as written for Rust, C++, PHP or Ruby, into `A.b`. */
export function dottedName(name: string): string {
  return name.replace(/^::/, '').replaceAll(/::|(?<=\w)#/g, '.')
}

/** Returns the innermost symbol around a line: the enclosing one that starts last. */
export function enclosingSymbol(
  symbols: readonly CodeSymbol[],
  line: number,
): CodeSymbol | undefined {
  return symbols.findLast(({ startLine, endLine }) => startLine <= line && endLine >= line)
}
