import type { CodeSymbol } from '../code-symbol.ts'

type Offers = (symbol: CodeSymbol) => boolean

const isType: Offers = ({ type }) => type === 'class' || type === 'interface'
const isAtTop: Offers = (symbol) => symbol.scope === '' && symbol.type !== 'module'

/** For languages that import whole packages: the symbols of a file that its importers can name. */
const OFFERS: Readonly<Record<string, Offers>> = {
  go: ({ name, type }) => type !== 'method' && /^\p{Lu}/u.test(name),
  java: isType,
  groovy: isType,
  kotlin: (symbol) => isType(symbol) || isAtTop(symbol),
  scala: (symbol) => isType(symbol) || isAtTop(symbol),
  // An extension method is used without its class being named.
  csharp: (symbol) => isType(symbol) || /\(\s*this\s/.test(symbol.signature),
}

export function offeredNames(language: string, symbols: readonly CodeSymbol[]): string[] {
  const offers = OFFERS[language]
  return offers ? [...new Set(symbols.filter(offers).map(({ name }) => name))] : []
}
