import type { Element } from 'domhandler'
import { incomplete } from '../document-error.ts'
import { type Block, type KnowledgeDocument, type RawDocument, toTable } from '../document.ts'
import { attribute, childrenNamed, findAll, findFirst, rawText } from '../markup/markup.ts'
import { parsePart } from '../markup/parse-markup.ts'
import { type Archive, readArchive } from '../markup/read-archive.ts'
import { mainPartOf, relationshipsOf } from '../markup/relationships.ts'
import { titleOf } from '../title-from-name.ts'

/** The XML parts, except those for drawings, charts, themes and layouts. */
const PARTS =
  /^(?!(?:.*\/)?(?:drawings|diagrams|charts|media|theme|slide(?:Layouts|Masters)|notesMasters)\/).*\.(?:xml|rels)$/i
const SLIDE = /^ppt\/slides\/slide(\d+)\.xml$/
const TITLES = new Set(['title', 'ctrTitle'])
/** Placeholders that repeat on every slide. */
const FURNITURE = new Set(['sldNum', 'ftr', 'dt', 'hdr', 'sldImg'])

/** Reads slides: each becomes a section with the slide's title; its position is its page number. */
export async function readPptx({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const archive = await readArchive(bytes, (path) => PARTS.test(path))
  const listed = await listedSlides(archive)
  const slides = listed.length > 0 ? listed : slidesByNumber(archive)
  if (slides.length === 0) throw incomplete('has no slides', 'presentation program', '.pptx')
  const blocks: Block[] = []
  // Every part is read once, however many slides of a hostile file name it.
  const read = new Set<string>()
  for (const [at, path] of slides.entries()) {
    blocks.push(...(await slideBlocks(archive, path, at + 1, 'slide')))
    const notes = (await relationshipsOf(archive, path)).ofType('notesSlide')
    if (notes === undefined || read.has(notes)) continue
    read.add(notes)
    blocks.push(...(await slideBlocks(archive, notes, at + 1, 'notes')))
  }
  return { title: titleOf(name, blocks), blocks, pageCount: slides.length, properties: {} }
}

/** Returns the paths of the slides in the order of the presentation, without deleted ones. */
async function listedSlides(archive: Archive): Promise<string[]> {
  const path = await mainPartOf(archive, 'ppt/presentation.xml')
  const presentation = await parsePart(archive, path)
  if (!presentation) return []
  const related = await relationshipsOf(archive, path)
  const targets = findAll(presentation, 'sldId')
    .map((slide) => related.of(slide) ?? '')
    .filter((target) => archive.has(target))
  return [...new Set(targets)]
}

function slidesByNumber(archive: Archive): string[] {
  return [...archive.keys()]
    .filter((path) => SLIDE.test(path))
    .toSorted((a, b) => numberOf(a) - numberOf(b))
}

function numberOf(slide: string): number {
  return Number(SLIDE.exec(slide)?.[1])
}

async function slideBlocks(
  archive: Archive,
  path: string,
  page: number,
  kind: 'slide' | 'notes',
): Promise<Block[]> {
  const root = await parsePart(archive, path)
  if (!root) return []
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
  return { ...toTable(rows), page }
}

/** Joins the runs of a paragraph without spaces; a line break becomes a space. */
function paragraphText(paragraph: Element): string {
  const runs = paragraph.children.map((child) => {
    const text = rawText(child)
    return text || ('name' in child && child.name.endsWith(':br') ? ' ' : '')
  })
  return runs.join('').replace(/\s+/g, ' ').trim()
}
