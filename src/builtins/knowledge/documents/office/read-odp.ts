import type { Element } from 'domhandler'
import { incomplete } from '../document-error.ts'
import { type Block, type KnowledgeDocument, type RawDocument, joinLists } from '../document.ts'
import { childElements, childNamed, findFirst, localName } from '../markup/markup.ts'
import { parsePart } from '../markup/parse-markup.ts'
import { readArchive } from '../markup/read-archive.ts'
import { odfBlocks, odfStyles, oneLine } from './odf-blocks.ts'
import { titleOf } from '../title-from-name.ts'

/** Frames that repeat on every slide. */
const FURNITURE = new Set(['header', 'footer', 'date-time', 'page-number', 'page'])
/** Presentation programs write each item as a list of its own, so its number is not known. */
const BULLETS = odfStyles([])

/** Reads slides: each becomes a section with the slide's title; its position is its page number. */
export async function readOdp({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const archive = await readArchive(bytes, (path) => path === 'content.xml')
  const content = await parsePart(archive, 'content.xml')
  const body = content && findFirst(content, 'body')
  const presentation = body && childNamed(body, 'presentation')
  const slides = presentation ? childElements(presentation).filter(isSlide) : []
  if (slides.length === 0) throw incomplete('has no slides', 'presentation program', '.odp')
  const blocks = slides.flatMap((slide, at) => slideBlocks(slide, at + 1))
  return { title: titleOf(name, blocks), blocks, pageCount: slides.length, properties: {} }
}

function isSlide(element: Element): boolean {
  return localName(element) === 'page'
}

function slideBlocks(slide: Element, page: number): Block[] {
  const notes = childNamed(slide, 'notes')
  const frames = framesOf(slide)
  const titles = frames.filter((frame) => classOf(frame) === 'title')
  const text = titles
    .map((frame) => oneLine(frame))
    .join(' ')
    .trim()
  const below = [
    ...frames.filter((frame) => !titles.includes(frame)),
    ...(notes ? framesOf(notes) : []),
  ].flatMap((frame) => joinLists(odfBlocks(frame, BULLETS)))
  if (text === '' && below.length === 0) return []
  const heading: Block = { kind: 'heading', level: 2, text: text || `Slide ${page}` }
  return [heading, ...below].map((block) => ({ ...block, page }))
}

/** Returns what has text on a slide or in its notes; shapes in a group count one by one. */
function framesOf(parent: Element): Element[] {
  return childElements(parent).flatMap((element) => {
    const kind = localName(element)
    if (kind === 'notes' || FURNITURE.has(classOf(element))) return []
    return kind === 'g' ? framesOf(element) : [element]
  })
}

function classOf({ attribs }: Element): string {
  return attribs['presentation:class'] ?? ''
}
