import { type Document, DomHandler } from 'domhandler'
import { DocumentError } from '../document-error.ts'
import type { Archive } from './read-archive.ts'
import { decodeText } from '../decode-text.ts'

/** Far deeper than any real document; beyond it, the parser takes quadratic time. */
const MAX_DEPTH = 5000

export interface MarkupOptions {
  readonly xmlMode?: boolean
  /** Whether `<title/>` is an empty element, as in XHTML; in HTML it is a start tag. */
  readonly recognizeSelfClosing?: boolean
}

/** Parses HTML or XML into a tree. */
export async function parseMarkup(text: string, options: MarkupOptions = {}): Promise<Document> {
  const { Parser } = await import('htmlparser2')
  const handler = new BoundedHandler()
  new Parser(handler, options).end(text)
  return handler.root
}

/** Parses a file of an archive into a tree; undefined if the file does not exist. */
export async function parsePart(
  archive: Archive,
  path: string,
  options: MarkupOptions = { xmlMode: true },
): Promise<Document | undefined> {
  const bytes = archive.get(path)
  return bytes && parseMarkup(decodeText(bytes), options)
}

export interface MarkupWatch {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  text(part: string): void
  close(name: string): void
}

/** Streams XML that may have millions of elements, without a tree. Names have no prefix. */
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
