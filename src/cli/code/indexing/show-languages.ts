import {
  describeGrammars,
  describeLanguages,
} from '../../../builtins/code/languages/describe-languages.ts'
import { printJson } from '../../shared/terminal/print-json.ts'
import { createPaint } from '../../shared/terminal/paint.ts'

/** Prints the known languages, and whether a grammar, the scanner or text blocks give symbols. */
export function showLanguages(asJson: boolean): void {
  const languages = describeLanguages()
  const grammars = describeGrammars()
  if (asJson) return printJson({ languages, grammars })
  const paint = createPaint()
  for (const { language, extensions, symbols } of languages) {
    process.stdout.write(
      `${paint('cyan', language.padEnd(18))}${symbols.padEnd(13)}${extensions.map((name) => `.${name}`).join(' ')}\n`,
    )
  }
  process.stdout.write(`\nconfig grammars: ${grammars.map(({ grammar }) => grammar).join(', ')}\n`)
}
