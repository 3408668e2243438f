export type SymbolType = 'function' | 'class' | 'method' | 'interface' | 'constant' | 'module'

export interface CodeSymbol {
  readonly name: string
  readonly type: SymbolType
  /** 1-based and inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** The names of the enclosing symbols, outermost first, joined by dots; cut where it is long. */
  readonly scope: string
  /** The first line of the definition, trimmed and at most 200 characters. */
  readonly signature: string
}

type NamedScope = Pick<CodeSymbol, 'name' | 'scope'>

export function qualifiedName({ name, scope }: NamedScope): string {
  return scope === '' ? name : `${scope}.${name}`
}

/** A file may nest definitions thousands deep, and each has the names of all around it. */
const MAX_SCOPE = 1_000

/** Returns the scope of what a symbol directly encloses; undefined is the top. */
export function scopeInside(parent: NamedScope | undefined): string {
  return parent ? qualifiedName(parent).slice(0, MAX_SCOPE) : ''
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
