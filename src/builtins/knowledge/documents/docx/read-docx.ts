import type { Document, Element } from 'domhandler'
import { DocumentError } from '../document-error.ts'
import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { docxBlocks } from './docx-blocks.ts'
import { docxNumbering } from './docx-numbering.ts'
import { docxStyles } from './docx-styles.ts'
import { findAll, findFirst, innerText } from '../markup.ts'
import { type Archive, readArchive } from '../read-archive.ts'
import { parsePart } from '../parse-markup.ts'
import { titleFromName } from '../title-from-name.ts'

const PARTS =
  /^(?:word\/(?:document|styles|numbering|footnotes|endnotes)\.xml|docProps\/core\.xml)$/

export async function readDocx({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const archive = await readArchive(bytes, (path) => PARTS.test(path))
  const document = await parsePart(archive, 'word/document.xml')
  const body = document && findFirst(document, 'body')
  if (!body) {
    throw new DocumentError(
      'malformed',
      'The file has no word/document.xml with a body',
      'Open it in a word processor and save it again as .docx.',
    )
  }
  const styles = docxStyles(await parsePart(archive, 'word/styles.xml'))
  const numbering = docxNumbering(await parsePart(archive, 'word/numbering.xml'))
  const { blocks, pageCount, title } = docxBlocks(body, styles, numbering)
  const core = await parsePart(archive, 'docProps/core.xml')
  const properties = core ? coreProperties(core) : {}
  const heading = blocks.find((block) => block.kind === 'heading')
  return {
    title: title || properties['title'] || heading?.text || titleFromName(name),
    format: 'docx',
    blocks: [...blocks, ...(await notes(archive))],
    ...(pageCount !== undefined && { pageCount }),
    properties,
  }
}

async function notes(archive: Archive): Promise<Block[]> {
  const blocks: Block[] = []
  for (const [file, tag] of [
    ['word/footnotes.xml', 'footnote'],
    ['word/endnotes.xml', 'endnote'],
  ] as const) {
    const root = await parsePart(archive, file)
    const texts = root ? findAll(root, tag).filter(isWritten).map(innerText).filter(Boolean) : []
    if (texts.length > 0) blocks.push({ kind: 'list', items: texts })
  }
  return blocks
}

/** Whether a note has text: Word also stores the separators between text and notes as notes. */
function isWritten(note: Element): boolean {
  return note.attribs['w:type'] === undefined || note.attribs['w:type'] === 'normal'
}

function coreProperties(core: Document): Record<string, string> {
  const read = (tag: string) => {
    const element = findFirst(core, tag)
    const text = element && innerText(element)
    return text ? [[tag, text]] : []
  }
  return Object.fromEntries(['title', 'creator', 'subject', 'version'].flatMap(read))
}
