import { grammarFile } from '../parse/grammar-file.ts'
import { CONFIG_GRAMMARS } from './config-grammars.ts'
import { LANGUAGES } from './languages.ts'

export interface DescribedLanguage {
  readonly language: string
  readonly extensions: readonly string[]
  /** How its symbols are found: by a grammar, by the scanner, or only as blocks of its text. */
  readonly symbols: 'tree-sitter' | 'scanner' | 'blocks'
}

export function describeLanguages(): DescribedLanguage[] {
  return LANGUAGES.map(({ id, extensions, grammar, family }) => {
    const isProse = family === 'prose' || family === 'config'
    const isParsed = grammar !== undefined && grammarFile(grammar) !== undefined
    return {
      language: id,
      extensions,
      symbols: isParsed ? 'tree-sitter' : isProse ? 'blocks' : 'scanner',
    }
  })
}

/** Lists the recognised configuration dialects with their base languages. */
export function describeGrammars(): { readonly grammar: string; readonly base_language: string }[] {
  return CONFIG_GRAMMARS.map(({ id, base }) => ({ grammar: id, base_language: base }))
}
