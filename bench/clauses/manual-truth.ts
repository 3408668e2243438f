import { unzipSync } from 'fflate'

/** A paragraph of a manual and its clause, according to the EPUB. */
export interface TruthParagraph {
  readonly text: string
  /** As printed; null before the first numbered heading. */
  readonly clause: string | null
  /** Its chapter, counted from 1 through the whole book. */
  readonly chapter: number
}

const TAG = /<(\/?)([a-z][a-z0-9]*)\b[^>]*>/gi
const SKIPPED = /<(?:head|script|style|nav)\b[\s\S]*?<\/(?:head|script|style|nav)>/gi
/** A PDF has footnotes on their page, an EPUB at the end of the chapter: their clauses differ. */
const FOOTNOTE = /<(dl|aside|div) (?:class="footnote|id="ftn)/i
/** Only in an EPUB does Sphinx print the address of a link after it. */
const ADDRESSES = /\[(?:https?|mailto):[^\]]*\]/g
const BREAKS = new Set('p li dd dt pre td th div blockquote section table ul ol dl tr'.split(' '))
const NUMBER = /^(?:chapter|appendix)?\s*([A-Z]|[A-Z](?:\.\d+)+|\d+(?:\.\d+)*)\.\s/i

/**
 * Reads the paragraphs of an EPUB with their clauses, using regular expressions and none of the
 * product's readers, so that the two are independent.
 */
export function manualTruth(epub: Uint8Array): TruthParagraph[] {
  const files = unzipSync(epub)
  const text = (path: string) => new TextDecoder().decode(files[path])
  const book = Object.keys(files).find((path) => path.endsWith('.opf')) ?? ''
  const folder = book.replace(/[^/]*$/, '')
  const items = new Map(
    [...text(book).matchAll(/<item\b[^>]*>/g)].map(([item]) => [
      attribute(item, 'id'),
      attribute(item, 'href'),
    ]),
  )
  const order = [...text(book).matchAll(/<itemref\b[^>]*>/g)].map(([ref]) =>
    items.get(attribute(ref, 'idref')),
  )
  const found: TruthParagraph[] = []
  const headings = new Set<string>()
  let [clause, chapter]: [string | null, number] = [null, 0]
  for (const file of order) {
    if (!file || /toc|nav|genindex|cover/.test(file)) continue
    for (const piece of pieces(text(folder + file))) {
      if (piece.heading) headings.add(piece.text)
      const number = piece.heading ? NUMBER.exec(piece.text)?.[1] : undefined
      if (number) {
        if (!number.includes('.')) chapter += 1
        clause = number.toUpperCase()
      } else if (!piece.heading) found.push({ text: piece.text, clause, chapter })
    }
  }
  // A chapter's table of contents repeats its headings; those are not paragraphs.
  return found.filter(({ text: words }) => !headings.has(words))
}

function attribute(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
}

interface Piece {
  readonly text: string
  readonly heading: boolean
}

function pieces(html: string): Piece[] {
  const source = withoutFootnotes(html.replace(SKIPPED, ' '))
  const found: Piece[] = []
  let [text, at, heading] = ['', 0, false]
  const flush = () => {
    const words = unescape(text).replace(ADDRESSES, ' ').replace(/\s+/g, ' ').trim()
    if (words) found.push({ text: words, heading })
    text = ''
  }
  for (const tag of source.matchAll(TAG)) {
    text += source.slice(at, tag.index)
    at = tag.index + tag[0].length
    const name = (tag[2] ?? '').toLowerCase()
    const isHeading = /^h[1-6]$/.test(name)
    if (!isHeading && !BREAKS.has(name)) continue
    flush()
    if (isHeading) heading = tag[1] === ''
  }
  text += source.slice(at)
  flush()
  return found
}

function withoutFootnotes(html: string): string {
  let left = html
  for (let found = FOOTNOTE.exec(left); found; found = FOOTNOTE.exec(left)) {
    const rest = left.slice(found.index)
    left = left.slice(0, found.index) + rest.slice(elementLength(rest, found[1] ?? ''))
  }
  return left
}

/** Returns the length of the element at the start, including nested elements of the same name. */
function elementLength(html: string, name: string): number {
  let depth = 0
  for (const tag of html.matchAll(new RegExp(`<(/?)${name}\\b[^>]*>`, 'gi'))) {
    depth += tag[1] ? -1 : 1
    if (depth === 0) return tag.index + tag[0].length
  }
  return html.length
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

function unescape(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (_, decimal, hex, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal))
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16))
    return ENTITIES[String(name)] ?? ' '
  })
}
