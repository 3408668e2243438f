import { type Document, DomHandler } from 'domhandler'
import { DocumentError } from './document-error.ts'

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
