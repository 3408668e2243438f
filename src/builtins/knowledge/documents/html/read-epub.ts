import type { Document } from 'domhandler'
import { decodeUri } from '../../../../base/text/decode-uri.ts'
import { decodeText } from '../decode-text.ts'
import { DocumentError } from '../document-error.ts'
import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { htmlBlocks } from './html-blocks.ts'
import { findAll, findFirst, innerText } from '../markup/markup.ts'
import { type Archive, readArchive } from '../markup/read-archive.ts'
import { parsePart } from '../markup/parse-markup.ts'
import { titleFromName } from '../title-from-name.ts'

const READ = /\.(?:x?html?|opf|xml|ncx)$/i
/** Algorithms that obfuscate only fonts; a book that uses them is still readable. */
const FONT_OBFUSCATION = /idpf\.org\/2008\/embedding|adobe\.com\/pdf\/enc#RC/

export async function readEpub({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const archive = await readArchive(bytes, (path) => READ.test(path))
  refuseProtected(archive)
  const container = await parsePart(archive, 'META-INF/container.xml')
  const packagePath = container && findFirst(container, 'rootfile')?.attribs['full-path']
  const book = packagePath ? await parsePart(archive, packagePath) : undefined
  if (!packagePath || !book) throw malformed('has no package document')
  const blocks: Block[] = []
  for (const path of spine(book, packagePath)) {
    const chapter = await parsePart(archive, path, { recognizeSelfClosing: true })
    if (!chapter) throw malformed(`names the chapter ${path}, which it does not contain`)
    blocks.push(...htmlBlocks(findFirst(chapter, 'body') ?? chapter, { isFurniture: () => false }))
  }
  const properties = metadata(book)
  return { title: properties['title'] ?? titleFromName(name), blocks, properties }
}

/** Returns the paths of the chapters in reading order; a chapter may also be a picture. */
function spine(book: Document, packagePath: string): string[] {
  const written = findAll(book, 'item').filter(
    ({ attribs }) => attribs['media-type']?.startsWith('image/') !== true,
  )
  const items = new Map(written.map(({ attribs }) => [attribs['id'], attribs['href']]))
  const folder = packagePath.includes('/') ? packagePath.replace(/[^/]+$/, '') : ''
  return findAll(book, 'itemref').flatMap(({ attribs }) => {
    const href = items.get(attribs['idref'])
    if (!href) return []
    const url = new URL(href.replace(/#.*$/, ''), `epub:/${folder}`)
    return [decodeUri(url.pathname).replace(/^\//, '')]
  })
}

function metadata(book: Document): Record<string, string> {
  return Object.fromEntries(
    ['title', 'creator', 'language', 'publisher'].flatMap((tag) => {
      const element = findFirst(book, tag)
      const text = element && innerText(element)
      return text ? [[tag, text]] : []
    }),
  )
}

function refuseProtected(archive: Archive): void {
  const encryption = archive.get('META-INF/encryption.xml')
  const methods = encryption ? decodeText(encryption).match(/Algorithm="[^"]+"/g) : null
  if (methods?.some((method) => !FONT_OBFUSCATION.test(method))) {
    throw new DocumentError(
      'encrypted',
      'The book is protected by DRM',
      'Ingest a copy without copy protection.',
    )
  }
}

function malformed(what: string): DocumentError {
  return new DocumentError('malformed', `The EPUB ${what}`, 'Check that the file is whole.')
}
