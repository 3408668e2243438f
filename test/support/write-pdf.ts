import { deflateSync } from 'node:zlib'
import { type Block, blockText } from '../../src/builtins/knowledge/documents/document.ts'

export interface WrittenPdf {
  readonly bytes: Uint8Array
  /** The page, from 1, on which each block starts. */
  readonly pageOf: ReadonlyMap<Block, number>
  readonly pageCount: number
}

export interface PdfOptions {
  readonly title?: string
  readonly runningHead?: string
  /** Starts every level-2 heading on a new page. */
  readonly breakChapters?: boolean
}

interface Run {
  readonly font: 'F1' | 'F2' | 'F3'
  readonly size: number
  readonly x: number
  readonly y: number
  readonly text: string
}

const [WIDTH, HEIGHT, MARGIN, TOP, BOTTOM] = [595, 842, 60, 770, 70]
const SIZES = [0, 20, 16, 13, 11.5, 11, 11] as const

/** Writes blocks as a plain A4 PDF with real layout and the standard fonts. */
export function writePdf(blocks: readonly Block[], options: PdfOptions = {}): WrittenPdf {
  const pages: Run[][] = [[]]
  const pageOf = new Map<Block, number>()
  let y = TOP

  function line(runs: readonly Omit<Run, 'y'>[], height: number): void {
    if (y - height < BOTTOM) {
      pages.push([])
      y = TOP
    }
    y -= height
    for (const run of runs) pages.at(-1)?.push({ ...run, y })
  }

  for (const block of blocks) {
    const chapter = block.kind === 'heading' && block.level === 2 && options.breakChapters
    if ((chapter && y < TOP) || y < BOTTOM + 60) {
      pages.push([])
      y = TOP
    }
    pageOf.set(block, pages.length)
    for (const { runs, height } of layOut(block)) line(runs, height)
    y -= 10
  }
  const bytes = assemble(
    pages.map((runs, index) => furnish(runs, index + 1, options)),
    options.title,
  )
  return { bytes, pageOf, pageCount: pages.length }
}

interface Laid {
  readonly runs: readonly Omit<Run, 'y'>[]
  readonly height: number
}

function layOut(block: Block): Laid[] {
  if (block.kind === 'heading') {
    const size = SIZES[block.level] ?? 11
    return wrap(block.text, Math.floor(900 / size)).map((text) => ({
      runs: [{ font: 'F2', size, x: MARGIN, text }],
      height: size * 1.3,
    }))
  }
  if (block.kind === 'table') {
    return [block.header, ...block.rows].flatMap((cells) => tableRow(cells))
  }
  const mono = block.kind === 'code'
  const texts = block.kind === 'list' ? block.items : blockLines(block)
  return texts.flatMap((text) =>
    (mono ? [text] : wrap(text, 88)).map((part) => ({
      runs: [{ font: mono ? ('F3' as const) : ('F1' as const), size: 10, x: MARGIN, text: part }],
      height: 13,
    })),
  )
}

function blockLines(block: Block): string[] {
  if (block.kind === 'code') return block.text.split('\n')
  const image = /^!\[(.*)\]\(.*\)$/.exec(blockText(block))
  return [image?.[1] ?? blockText(block)]
}

function tableRow(cells: readonly string[]): Laid[] {
  const width = (WIDTH - 2 * MARGIN) / cells.length
  const columns = cells.map((cell) => wrap(cell, Math.floor(width / 5.4) - 3))
  const height = Math.max(...columns.map((lines) => lines.length))
  return Array.from({ length: height }, (_, at) => ({
    runs: columns.flatMap((lines, column) => {
      const text = lines[at]
      return text ? [{ font: 'F1' as const, size: 10, x: MARGIN + column * width, text }] : []
    }),
    height: 13,
  }))
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < width)
      lines[lines.length - 1] += ` ${word}`
    else lines.push(word)
  }
  return lines
}

function furnish(runs: readonly Run[], page: number, { runningHead }: PdfOptions): Run[] {
  if (!runningHead) return [...runs]
  const common = { font: 'F1', size: 8, x: MARGIN } as const
  return [
    { ...common, y: HEIGHT - 40, text: runningHead },
    ...runs,
    { ...common, y: 40, text: `Page ${page}` },
  ]
}

function assemble(pages: readonly Run[][], title: string | undefined): Uint8Array {
  const streams = pages.map((runs) => {
    const text = runs.map(
      ({ font, size, x, y, text: shown }) =>
        `BT /${font} ${size} Tf 1 0 0 1 ${x} ${y.toFixed(2)} Tm (${escape(shown)}) Tj ET`,
    )
    return deflateSync(Buffer.from(text.join('\n'), 'latin1'))
  })
  const kids = pages.map((_, index) => `${7 + index * 2} 0 R`).join(' ')
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`),
    fontObject('Helvetica'),
    fontObject('Helvetica-Bold'),
    fontObject('Courier'),
    Buffer.from(`<< /Title <FEFF${utf16(title ?? '')}> >>`),
    ...streams.flatMap((stream, index) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents ${8 + index * 2} 0 R ` +
          `/Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> >> >>`,
      ),
      streamObject('/Filter /FlateDecode', stream),
    ]),
  ]
  return pdfFile(objects, `/Root 1 0 R${title ? ' /Info 6 0 R' : ''}`)
}

function fontObject(name: string): Buffer {
  return Buffer.from(
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`,
  )
}

export function streamObject(dictionary: string, data: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`<< /Length ${data.length} ${dictionary} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ])
}

/** Numbers the objects from 1 and writes the cross-reference table. */
export function pdfFile(objects: readonly Buffer[], trailer: string): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n', 'latin1')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  const push = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  for (const [index, object] of objects.entries()) {
    offsets.push(length)
    push(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]))
  }
  const start = length
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  push(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`))
  push(
    Buffer.from(
      `trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

/** Characters of our texts in which WinAnsi differs from Latin-1. */
const WIN_ANSI: Readonly<Record<string, string>> = {
  '—': '\\227',
  '–': '\\226',
  '’': '\\222',
  '•': '\\225',
}

function utf16(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('hex')
}

function escape(text: string): string {
  return text.replace(/[\\()]/g, '\\$&').replace(/[—–’•]/g, (sign) => WIN_ANSI[sign] ?? '?')
}
