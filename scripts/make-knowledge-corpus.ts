import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMarkdown } from '../src/builtins/knowledge/documents/text/read-markdown.ts'
import { writeDocx } from '../test/support/write-docx.ts'
import { writePdf } from '../test/support/write-pdf.ts'

/** Makes the Word and PDF editions of the example standard from its Markdown. */
const folder = join(import.meta.dirname, '../test/fixtures/knowledge')
const name = 'hss-4210-2024'
const bytes = await readFile(join(folder, `${name}.md`))
const { title, blocks } = await readMarkdown({ name, bytes })
await writeFile(
  join(folder, `${name}.docx`),
  writeDocx(blocks, { title, autoNumber: true, breakChapters: true }),
)
const { bytes: pdf, pageCount } = writePdf(blocks, {
  title,
  runningHead: 'HSS 4210:2024 (fictional)',
  breakChapters: true,
})
await writeFile(join(folder, `${name}.pdf`), pdf)
process.stderr.write(`${title}: ${pageCount} pages\n`)
