import { CONFIG_GRAMMARS } from '../../../servers/code/languages/config-grammars.ts'
import { LANGUAGES } from '../../../servers/code/languages/languages.ts'
import { grammarFile } from '../../../servers/code/parse/grammar-file.ts'
import { createPaint } from './paint.ts'

/** Which languages are known, and whether a grammar, the scanner or only the words tell what is in them. */
export function showLanguages(asJson: boolean): void {
  const languages = LANGUAGES.map(({ id, extensions, grammar, family }) => ({
    language: id,
    extensions,
    symbols:
      grammar && grammarFile(grammar)
        ? 'tree-sitter'
        : family === 'prose' || family === 'config'
          ? 'blocks'
          : 'scanner',
  }))
  const grammars = CONFIG_GRAMMARS.map(({ id, base }) => ({ grammar: id, base_language: base }))
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ languages, grammars }, undefined, 2)}\n`)
    return
  }
  const paint = createPaint()
  for (const { language, extensions, symbols } of languages) {
    process.stdout.write(
      `${paint('cyan', language.padEnd(18))}${symbols.padEnd(13)}${extensions.map((name) => `.${name}`).join(' ')}\n`,
    )
  }
  process.stdout.write(`\nconfig grammars: ${grammars.map(({ grammar }) => grammar).join(', ')}\n`)
}

/** The dialects of configuration that are told apart, and what each is written in. */
export function showGrammars(asJson: boolean): void {
  const grammars = CONFIG_GRAMMARS.map(({ id, base }) => ({ grammar: id, base_language: base }))
  if (asJson) {
    process.stdout.write(`${JSON.stringify(grammars, undefined, 2)}\n`)
    return
  }
  const paint = createPaint()
  for (const { grammar, base_language: base } of grammars)
    process.stdout.write(`${paint('cyan', grammar.padEnd(18))}${base}\n`)
}
