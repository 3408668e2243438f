/**
 * Compares documents that LibreOffice wrote with the pages that they come from: which words and
 * headings arrive, and how many tables and pieces of code.
 *
 *   npm run bench -- office
 *
 * Needs `soffice` (`apt-get install libreoffice-writer-nogui`); the pages are Debian's.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type KnowledgeDocument, blockText } from '../src/builtins/knowledge/documents/document.ts'
import { readDocument } from '../src/builtins/knowledge/documents/read-document.ts'
import { packageFile } from './clauses/debian-manuals.ts'
import { round } from './support/numbers.ts'

const run = promisify(execFile)
const POLICY = 'doc/debian-policy'
const PAGES = {
  fhs: `${POLICY}/fhs/fhs-3.0.html`,
  perl: `${POLICY}/perl-policy-1.html`,
  copyright: `${POLICY}/copyright-format-1.0.html`,
  debconf: `${POLICY}/debconf_specification.html`,
}
const FORMATS = ['odt', 'docx', 'rtf', 'pdf'] as const

const folder = await mkdtemp(join(tmpdir(), 'portolan-bench-'))
try {
  const results: Record<string, Record<string, object>> = {}
  for (const [name, path] of Object.entries(PAGES)) {
    await writeFile(join(folder, `${name}.html`), await packageFile('debian-policy', path))
    const page = await read(`${name}.html`)
    // A PDF is made of the text document: LibreOffice prints a page of HTML as a screen shows it.
    for (const format of FORMATS)
      await convert(format === 'pdf' ? `${name}.odt` : `${name}.html`, format)
    for (const format of FORMATS) {
      const scores = compare(page, await read(`${name}.${format}`))
      console.log(`${name}.${format} ${JSON.stringify(scores)}`)
      results[format] = { ...results[format], [name]: scores }
    }
  }
  console.log(`RESULT ${JSON.stringify(results)}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function read(name: string): Promise<KnowledgeDocument> {
  return readDocument({ name, bytes: await readFile(join(folder, name)) })
}

async function convert(name: string, format: (typeof FORMATS)[number]): Promise<void> {
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`
  const filter = name.endsWith('.html') ? ['--infilter=HTML (StarWriter)'] : []
  const args = ['--headless', profile, ...filter, '--convert-to', format, '--outdir', folder]
  await run('soffice', [...args, join(folder, name)]).catch((error: unknown) => {
    throw new Error('soffice failed; install it with: apt-get install libreoffice-writer-nogui', {
      cause: error,
    })
  })
}

function compare(page: KnowledgeDocument, document: KnowledgeDocument) {
  const headings = new Set(headingsOf(document))
  const wanted = headingsOf(page)
  const words = counted(wordsOf(document))
  let arrived = 0
  for (const [word, count] of counted(wordsOf(page)))
    arrived += Math.min(count, words.get(word) ?? 0)
  return {
    words: round(arrived / wordsOf(page).length, 4),
    added: round(Math.max(0, wordsOf(document).length / wordsOf(page).length - 1), 4),
    headings: round(wanted.filter((text) => headings.has(text)).length / wanted.length, 4),
    addedHeadings: headingsOf(document).length - wanted.length,
    tables: `${countOf(document, 'table')} of ${countOf(page, 'table')}`,
    code: `${countOf(document, 'code')} of ${countOf(page, 'code')}`,
  }
}

function headingsOf({ blocks }: KnowledgeDocument): string[] {
  return blocks
    .filter(({ kind }) => kind === 'heading')
    .map((block) => wordsIn(blockText(block)).join(' '))
}

function wordsOf({ blocks }: KnowledgeDocument): string[] {
  return blocks.flatMap((block) => wordsIn(blockText(block)))
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/\p{L}[\p{L}\d]+/gu) ?? []
}

function counted(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function countOf({ blocks }: KnowledgeDocument, kind: string): number {
  return blocks.filter((block) => block.kind === kind).length
}
