import { chunkDocument } from '../src/builtins/knowledge/chunks/chunk-document.ts'
import { readDocument } from '../src/builtins/knowledge/documents/read-document.ts'
import { countTokens } from '../src/shaping/tokens.ts'
import { MANUALS, type Manual, packageFile } from './clauses/debian-manuals.ts'
import { type TruthParagraph, manualTruth } from './clauses/manual-truth.ts'
import { scoreClauses } from './clauses/score-clauses.ts'
import { round } from './support/numbers.ts'

/**
 * Measures, for three real manuals in three formats each, the share of their paragraphs that a
 * search would cite under the right clause. `--show` lists the others.
 */
const show = process.argv.includes('--show')
const result: Record<string, Record<string, unknown>> = {}
for (const manual of MANUALS) {
  const { name, packageName, files } = manual
  const truth = manualTruth(await packageFile(packageName, files.epub))
  result[name] = {}
  for (const format of ['pdf', 'epub', 'txt'] as const) {
    const bytes = await packageFile(packageName, files[format])
    const document = await readDocument({ name: `${name}.${format}`, bytes })
    const chunks = chunkDocument(document, countTokens)
    const { score, misplaced } = scoreClauses(chunks, truth, (paragraph) =>
      format === 'pdf' ? printedClause(paragraph, manual) : paragraph.clause,
    )
    const share = round(score.right / score.paragraphs, 4)
    process.stderr.write(`${name}.${format} ${share} ${JSON.stringify(score)}\n`)
    for (const { expected, cited, text } of show ? misplaced : []) {
      process.stderr.write(`  ${expected} cited as ${cited}: ${text.slice(0, 90)}\n`)
    }
    result[name][format] = { share, ...score }
  }
}
process.stdout.write(`RESULT ${JSON.stringify(result)}\n`)

function printedClause({ clause, chapter }: TruthParagraph, manual: Manual): string | null {
  if (clause === null) return null
  const [first, ...rest] = clause.split('.')
  const all = [manual.pdfCountsOn ? chapter : first, ...rest]
  return all.slice(0, manual.pdfDepth).join('.')
}
