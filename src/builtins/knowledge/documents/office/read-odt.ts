import { incomplete } from '../document-error.ts'
import type { KnowledgeDocument, RawDocument } from '../document.ts'
import { childNamed, findFirst, innerText } from '../markup/markup.ts'
import { parsePart } from '../markup/parse-markup.ts'
import { readArchive } from '../markup/read-archive.ts'
import { odfBlocks, odfStyles } from './odf-blocks.ts'
import { titleOf } from '../title-from-name.ts'

const PARTS = /^(?:content|meta|styles)\.xml$/

/** Reads an OpenDocument text. Pages depend on how it is printed, so the blocks have none. */
export async function readOdt({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const archive = await readArchive(bytes, (path) => PARTS.test(path))
  const content = await parsePart(archive, 'content.xml')
  // Searched from `body`, because number and date formats also contain `text` elements.
  const within = content && findFirst(content, 'body')
  const body = within && childNamed(within, 'text')
  if (!body) throw incomplete('has no content.xml with a text', 'word processor', '.odt')
  const styles = await parsePart(archive, 'styles.xml')
  const blocks = odfBlocks(body, odfStyles(styles ? [content, styles] : [content]))
  const meta = await parsePart(archive, 'meta.xml')
  const titled = meta && findFirst(meta, 'title')
  const title = titleOf(name, blocks, titled && innerText(titled))
  return { title, blocks, properties: {} }
}
