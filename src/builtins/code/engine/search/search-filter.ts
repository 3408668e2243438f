import { compileWildcards } from '../../../../base/text/glob.ts'
import { parseLanguageFilter } from '../../languages/language-filter.ts'
import { type CodeSymbol, type SymbolType, dottedName, qualifiedName } from '../../code-symbol.ts'
import { symbolsIn } from './chunk-facts.ts'
import type { ProjectIndex } from '../index/project-index.ts'

export interface SearchFilter {
  readonly language?: string | null | undefined
  readonly symbolType?: string | readonly string[] | null | undefined
  readonly symbolName?: string | null | undefined
}

export class SymbolFilterError extends Error {
  override readonly name = 'SymbolFilterError'
}

const SYMBOL_TYPES: readonly SymbolType[] = [
  'function',
  'class',
  'method',
  'interface',
  'constant',
  'module',
]

/** Turns the filters of a search into one predicate on chunks; undefined if nothing is filtered. */
export function toAccept(
  index: ProjectIndex,
  { language, symbolType, symbolName }: SearchFilter,
): ((path: string, chunk: number) => boolean) | undefined {
  const languages = language ? parseLanguageFilter(language) : undefined
  const acceptsSymbol = toSymbolFilter({ symbolType, symbolName })
  if (!languages && !acceptsSymbol) return undefined
  return (path, chunk) => {
    const record = index.files.get(path)
    if (!record) return false
    if (languages && !languages.has(record.languageId) && !languages.has(record.language))
      return false
    if (!acceptsSymbol) return true
    const [from = 0, to = 0] = record.ranges.slice(2 * chunk, 2 * chunk + 2)
    return symbolsIn(record, from, to).some(acceptsSymbol)
  }
}

/** Undefined when the search does not ask for symbols of a type or name. */
export function toSymbolFilter({
  symbolType,
  symbolName,
}: SearchFilter): ((symbol: CodeSymbol) => boolean) | undefined {
  const types = symbolType?.length ? parseTypes(symbolType) : undefined
  const name = symbolName ? compileSymbolName(symbolName) : undefined
  if (!types && !name) return undefined
  return (symbol) => (!types || types.has(symbol.type)) && (!name || name(symbol))
}

function parseTypes(given: string | readonly string[]): ReadonlySet<string> {
  const types = typeof given === 'string' ? given.split(',').map((type) => type.trim()) : given
  const known: readonly string[] = SYMBOL_TYPES
  const unknown = types.find((type) => !known.includes(type))
  if (unknown === undefined) return new Set(types)
  throw new SymbolFilterError(
    `Invalid symbol type '${unknown}'. Valid types: ${SYMBOL_TYPES.join(', ')}`,
  )
}

/**
 * Matches a pattern with `*` and `?` against the name, ignoring case. A pattern with a dot, `::` or
 * `#` is matched against the qualified name from any of its parts on: `Class.method` wherever the
 * class is.
 */
export function compileSymbolName(glob: string): (symbol: CodeSymbol) => boolean {
  const wanted = dottedName(glob)
  const matches = compileWildcards(wanted, { signs: '*?', ignoreCase: true })
  if (!wanted.includes('.')) return ({ name }) => matches(name)
  return (symbol) => {
    let rest = dottedName(qualifiedName(symbol))
    for (let dot = 0; dot >= 0; rest = rest.slice(dot + 1)) {
      if (matches(rest)) return true
      dot = rest.indexOf('.')
    }
    return false
  }
}
