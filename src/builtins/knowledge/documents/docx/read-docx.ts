import { posix } from 'node:path'
import type { Document } from 'domhandler'
import { incomplete } from '../document-error.ts'
import type { KnowledgeDocument, RawDocument } from '../document.ts'
import { docxBlocks, docxNotes } from './docx-blocks.ts'
import { docxNumbering } from './docx-numbering.ts'
import { docxStyles } from './docx-styles.ts'
import { findFirst, innerText } from '../markup/markup.ts'
import { readArchive } from '../markup/read-archive.ts'
import { parsePart } from '../markup/parse-markup.ts'
import { mainPartOf, relationshipsOf } from '../markup/relationships.ts'
import { titleOf } from '../title-from-name.ts'

/** The XML parts, except those for drawings, charts, themes and building blocks. */
const PARTS =
  /^(?!(?:.*\/)?(?:drawings|charts|diagrams|embeddings|media|theme|glossary|customXml)\/).*\.(?:xml|rels)$/i

export async function readDocx({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const archive = await readArchive(bytes, (path) => PARTS.test(path))
  const main = await mainPartOf(archive, 'word/document.xml')
  const document = await parsePart(archive, main)
  const body = document && findFirst(document, 'body')
  if (!body) throw incomplete('has no document with a body', 'word processor', '.docx')
  const related = await relationshipsOf(archive, main)
  const part = async (type: string) =>
    parsePart(archive, related.ofType(type) ?? posix.join(posix.dirname(main), `${type}.xml`))
  const { blocks, pageCount, title } = docxBlocks(body, {
    styles: docxStyles(await part('styles')),
    numbering: docxNumbering(await part('numbering')),
    notes: docxNotes([await part('footnotes'), await part('endnotes')]),
  })
  const core = await parsePart(archive, 'docProps/core.xml')
  const properties = core ? coreProperties(core) : {}
  return {
    title: titleOf(name, blocks, title || properties['title']),
    blocks,
    ...(pageCount !== undefined && { pageCount }),
    properties,
  }
}

function coreProperties(core: Document): Record<string, string> {
  const read = (tag: string) => {
    const element = findFirst(core, tag)
    const text = element && innerText(element)
    return text ? [[tag, text]] : []
  }
  return Object.fromEntries(['title', 'creator', 'subject', 'version'].flatMap(read))
}
