import type { Element } from 'domhandler'
import { DocumentError } from '../document-error.ts'
import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { attribute, childrenNamed, findAll, findFirst, rawText } from '../markup.ts'
import { parseMarkup } from '../parse-markup.ts'
import { readArchive } from '../read-archive.ts'
import { decodeText } from '../text/decode-text.ts'
import { titleFromName } from '../title-from-name.ts'

const SLIDE = /^ppt\/slides\/slide(\d+)\.xml$/
const NOTES = /^ppt\/notesSlides\/notesSlide(\d+)\.xml$/
const TITLES = new Set(['title', 'ctrTitle'])
/** Placeholders that repeat on every slide. */
const FURNITURE = new Set(['sldNum', 'ftr', 'dt', 'hdr', 'sldImg'])

/** Reads slides: each becomes a section with the slide's title; its position is its page number. */
export async function readPptx({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const archive = await readArchive(bytes, (path) => SLIDE.test(path) || NOTES.test(path))
  const slides = [...archive]
    .flatMap(([path, xml]) => {
      const number = SLIDE.exec(path)?.[1]
      return number ? [{ number: Number(number), xml }] : []
    })
    .toSorted((a, b) => a.number - b.number)
  if (slides.length === 0) {
    throw new DocumentError(
      'malformed',
      'The file has no slides',
      'Open it in a presentation program and save it again as .pptx.',
    )
  }
  const blocks: Block[] = []
  for (const [at, { number, xml }] of slides.entries()) {
    blocks.push(...(await slideBlocks(xml, at + 1, 'slide')))
    const notes = archive.get(`ppt/notesSlides/notesSlide${number}.xml`)
    if (notes) blocks.push(...(await slideBlocks(notes, at + 1, 'notes')))
  }
  const heading = blocks.find((block) => block.kind === 'heading')
  return {
    title: heading?.text ?? titleFromName(name),
    format: 'pptx',
    blocks,
    pageCount: slides.length,
    properties: {},
  }
}

async function slideBlocks(
  xml: Uint8Array,
  page: number,
  kind: 'slide' | 'notes',
): Promise<Block[]> {
  const root = await parseMarkup(decodeText(xml), { xmlMode: true })
  const blocks = findAll(root, 'sp').flatMap((shape) => shapeBlocks(shape, page))
  const tables = findAll(root, 'tbl').map((table): Block => tableBlock(table, page))
  const all = [...blocks, ...tables]
  if (kind === 'notes' || all.length === 0 || all[0]?.kind === 'heading') return all
  return [{ kind: 'heading', level: 2, text: `Slide ${page}`, page }, ...all]
}

function shapeBlocks(shape: Element, page: number): Block[] {
  const placeholder = attribute(findFirst(shape, 'ph'), 'type') ?? ''
  const lines = findAll(shape, 'p').map(paragraphText).filter(Boolean)
  if (FURNITURE.has(placeholder) || lines.length === 0) return []
  if (TITLES.has(placeholder)) return [{ kind: 'heading', level: 2, text: lines.join(' '), page }]
  const [only] = lines
  if (lines.length === 1 && only) return [{ kind: 'paragraph', text: only, page }]
  return [{ kind: 'list', items: lines.map((line) => `- ${line}`), page }]
}

function tableBlock(table: Element, page: number): Block {
  const rows = childrenNamed(table, 'tr').map((row) =>
    childrenNamed(row, 'tc').map((cell) => findAll(cell, 'p').map(paragraphText).join(' ').trim()),
  )
  const [header = [], ...rest] = rows
  return rest.length > 0
    ? { kind: 'table', header, rows: rest, page }
    : { kind: 'table', header: [], rows, page }
}

/** Joins the runs of a paragraph without spaces; a line break becomes a space. */
function paragraphText(paragraph: Element): string {
  const runs = paragraph.children.map((child) => {
    const text = rawText(child)
    return text || ('name' in child && child.name.endsWith(':br') ? ' ' : '')
  })
  return runs.join('').replace(/\s+/g, ' ').trim()
}
