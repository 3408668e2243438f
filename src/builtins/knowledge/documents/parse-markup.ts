import { type Document, DomHandler } from 'domhandler'
import { DocumentError } from './document-error.ts'
import type { Archive } from './read-archive.ts'
import { decodeText } from './text/decode-text.ts'

/** Far deeper than anything written by people; beyond it the parser's time grows with the square. */
const MAX_DEPTH = 5000

/** HTML or XML as a tree. */
export async function parseMarkup(
  text: string,
  options: { xmlMode?: boolean } = {},
): Promise<Document> {
  const { Parser } = await import('htmlparser2')
  const handler = new BoundedHandler()
  new Parser(handler, options).end(text)
  return handler.root
}

/** A file of an archive as a tree; undefined where there is none. */
export async function parsePart(
  archive: Archive,
  path: string,
  xmlMode = true,
): Promise<Document | undefined> {
  const bytes = archive.get(path)
  return bytes && parseMarkup(decodeText(bytes), { xmlMode })
}

export interface MarkupWatch {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  text(part: string): void
  close(name: string): void
}

/** XML as it comes, without a tree: for what may have millions of elements. Names are without their prefix. */
export async function scanMarkup(xml: string, watch: MarkupWatch): Promise<void> {
  const { Parser } = await import('htmlparser2')
  const parser = new Parser(
    {
      onopentag: (name, attributes) => watch.open(local(name), attributes),
      ontext: (part) => watch.text(part),
      onclosetag: (name) => watch.close(local(name)),
    },
    { xmlMode: true },
  )
  parser.end(xml)
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

class BoundedHandler extends DomHandler {
  #depth = 0

  override onopentag(name: string, attributes: Record<string, string>): void {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) {
      throw new DocumentError(
        'malformed',
        `The markup is nested deeper than ${MAX_DEPTH} elements`,
        'Check how the page is made; no reader of it needs that depth.',
      )
    }
    super.onopentag(name, attributes)
  }

  override onclosetag(): void {
    this.#depth -= 1
    super.onclosetag()
  }
}
