import { describe, expect, it } from 'vitest'
import type { Block } from '../document.ts'
import { pdfBlocks } from './pdf-blocks.ts'
import type { PdfLine } from './pdf-lines.ts'

type Looks = Partial<Pick<PdfLine, 'x' | 'size' | 'font' | 'mono'>> & { readonly cells?: string[] }

function line(page: number, y: number, text: string, { cells, ...looks }: Looks = {}): PdfLine {
  const x = looks.x ?? 72
  const parts = (cells ?? [text]).map((part, at) => ({ x: x + at * 200, text: part }))
  return { page, y, text, x, size: 10, font: 'body', mono: false, cells: parts, ...looks }
}

const bold = { font: 'bold' } as const

/** A page of a book: running header, what it says, twenty lines of text, running footer. */
function bookPage(page: number, header: string, footer: string, ...own: PdfLine[]): PdfLine[] {
  const text = Array.from({ length: 20 }, (_, n) =>
    line(page, 560 - n * 12, `Sentence ${n} of page ${page} says that the rope is replaced.`),
  )
  return [line(page, 748, header, bold), ...own, ...text, line(page, 42, footer, bold)]
}

function twoSections(page: number, chapter: string, section: string): PdfLine {
  return line(page, 798, `${chapter} ${section}`, { ...bold, cells: [chapter, section] })
}

function chapterPage(page: number, number: string, name: string): PdfLine[] {
  return [
    line(page, 692, 'CHAPTER', bold),
    line(page, 668, number, { size: 14.5, ...bold }),
    line(page, 613, name, { size: 14.5, ...bold }),
    ...bookPage(page, '', '').slice(1, -1),
  ]
}

function laterPage(page: number): PdfLine[] {
  return [
    line(page, 748, 'Hoist Manual', bold),
    line(page, 720, `A rope of ${'very '.repeat(page)}good steel goes on from the page before`),
    line(page, 708, 'and ends here.'),
    ...bookPage(page, '', '').slice(1, -1),
  ]
}

function headings(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => (block.kind === 'heading' ? [block.text] : []))
}

function textOf(blocks: readonly Block[]): string {
  return JSON.stringify(blocks)
}

describe('running headers and footers', () => {
  const title = { size: 14.5, ...bold }

  it('are no headings, though they name the chapter and change with it', () => {
    const pages = [
      bookPage(1, 'Hoist Manual, Release 2', '7', line(1, 640, '4.1 Ropes', title)),
      bookPage(2, 'Hoist Manual, Release 2', '8 Chapter 4. Load path'),
      bookPage(3, 'Hoist Manual, Release 2', '4.1. Ropes 9', line(3, 640, '4.2 Hooks', title)),
      bookPage(4, 'Hoist Manual, Release 2', '10 Chapter 4. Load path'),
      bookPage(5, 'Hoist Manual, Release 2', '4.2. Hooks 11', line(5, 640, '4.3 Drums', title)),
      bookPage(6, 'Hoist Manual, Release 2', '12 Chapter 5. Brakes'),
    ]
    const blocks = pdfBlocks(pages)
    expect(headings(blocks)).toEqual(['4.1 Ropes', '4.2 Hooks', '4.3 Drums'])
    expect(textOf(blocks)).not.toMatch(/Release|Load path|Chapter/)
    for (const page of [1, 2, 3, 4, 5, 6]) expect(textOf(blocks)).toContain(`of page ${page} `)
  })

  it('are found where they name two sections and count no pages', () => {
    const pages = ['2.1. PEOPLE', '2.1. PEOPLE', '2.2. SOCIAL DYNAMICS', '2.3. HELP'].map(
      (section, at) => [
        twoSections(at + 1, 'CHAPTER 2. PREREQUISITES', section),
        line(at + 1, 759, `2.${at + 1} Title ${at + 1}`, title),
        ...bookPage(at + 1, '', '').slice(1, -1),
      ],
    )
    expect(headings(pdfBlocks(pages))).toEqual([
      '2.1 Title 1',
      '2.2 Title 2',
      '2.3 Title 3',
      '2.4 Title 4',
    ])
    expect(textOf(pdfBlocks(pages))).not.toContain('PREREQUISITES')
  })

  it('may have several rows, as LibreOffice sets them', () => {
    const chapters = ['1 Ropes', '1 Ropes', '2 Hooks', '2 Hooks', '3 Drums']
    const pages = chapters.map((chapter, at) => [
      line(at + 1, 778, 'Hoist Works Ltd.'),
      line(at + 1, 766, `Operating manual HW-200, ${chapter}`),
      ...bookPage(at + 1, '', '').slice(1, -1),
      line(at + 1, 56, '© 2024 Hoist Works Ltd. All rights reserved.'),
      line(at + 1, 44, `Confidential. Page ${at + 1} of 5`),
    ])
    const blocks = pdfBlocks(pages)
    expect(textOf(blocks)).not.toMatch(/Hoist|manual|Confidential/)
    for (const page of [1, 2, 3, 4, 5]) expect(textOf(blocks)).toContain(`of page ${page} `)
  })

  it('are not a short last paragraph that begins alike on every page', () => {
    const pages = ['worn ropes', 'bent hooks', 'hot drums', 'weak brakes'].map((parts, at) => [
      ...bookPage(at + 1, '', '').slice(1, -1),
      line(at + 1, 56, 'The inspector signs the sheet.'),
      line(at + 1, 44, `There were ${parts} in the workshop.`),
    ])
    const text = textOf(pdfBlocks(pages))
    for (const parts of ['worn ropes', 'bent hooks', 'hot drums', 'weak brakes'])
      expect(text).toContain(`There were ${parts}`)
  })

  it('are not titles of slides, nor text that only stands where a header would', () => {
    const words = ['Ropes were weak', 'Hooks were bent', 'Drums ran hot', 'Brakes held well']
    const slides = words.map((word, at) => [
      line(at + 1, 700, 'Results', { size: 24, font: 'bold' }),
      line(at + 1, 600, `${word} in the first of all tests`),
      line(at + 1, 80, `${word} ever after, in 37 tests`),
    ])
    const blocks = pdfBlocks(slides)
    expect(headings(blocks)).toEqual(['Results', 'Results', 'Results', 'Results'])
    for (const word of words) expect(textOf(blocks)).toContain(`${word} ever after`)
  })

  it('are not the label of a chapter that begins on every second page', () => {
    const pages = [
      chapterPage(1, 'TWENTY', 'ROPES'),
      laterPage(2),
      chapterPage(3, 'TWENTYONE', 'HOOKS'),
      laterPage(4),
      chapterPage(5, 'TWENTYTWO', 'DRUMS'),
      laterPage(6),
    ]
    expect(headings(pdfBlocks(pages))).toEqual([
      'CHAPTER 20. ROPES',
      'CHAPTER 21. HOOKS',
      'CHAPTER 22. DRUMS',
    ])
  })
})

describe('headings', () => {
  const style = Array.from({ length: 9 }, (_, n) => line(1, 500 - n * 12, `Plain text, line ${n}`))

  it('may be set like code, may go on in a second line, and may end that line with a comma', () => {
    const blocks = pdfBlocks([
      [
        line(1, 700, '5.6.1 Source', { size: 12, font: 'code', mono: true }),
        line(1, 680, 'The name of the source.'),
        line(1, 650, '5.6.2 Relations: Depends, Recommends,', { size: 12, ...bold }),
        line(1, 636, 'Suggests, Breaks', { size: 12, font: 'code', mono: true }),
        ...style,
      ],
    ])
    expect(headings(blocks)).toEqual([
      '5.6.1 Source',
      '5.6.2 Relations: Depends, Recommends, Suggests, Breaks',
    ])
  })

  it('at the size of the text are only those that come next in the order of clauses', () => {
    const blocks = pdfBlocks([
      [
        line(1, 700, '5.10 Porting', { size: 14.5, ...bold }),
        line(1, 670, '5.10.1 Tools', bold),
        line(1, 640, 'Described in the following.'),
        line(1, 610, '5.10.2 wanna-build', { font: 'code', mono: true }),
        line(1, 580, 'A daemon.'),
        line(1, 550, '3.8 Essential packages', bold),
        line(1, 525, '5.10.7 --help', { font: 'code', mono: true }),
        ...style,
      ],
    ])
    expect(headings(blocks)).toEqual(['5.10 Porting', '5.10.1 Tools', '5.10.2 wanna-build'])
  })

  it('join the label of a chapter with its title', () => {
    const large = { size: 20, ...bold }
    const blocks = pdfBlocks([
      [
        line(1, 700, 'Chapter 3', large),
        line(1, 650, 'Tool setups', { size: 24, ...bold }),
        ...style,
      ],
      [line(2, 700, 'Appendix B', large), line(2, 650, 'Manual pages', { size: 24, ...bold })],
    ])
    expect(headings(blocks)).toEqual(['Chapter 3. Tool setups', 'Appendix B. Manual pages'])
  })
})

it('leaves tables of contents out, but not a table with numbers', () => {
  const dots = '. '.repeat(40)
  const entry = (y: number, title: string, page: string) =>
    line(1, y, `${title} ${dots} ${page}`, { cells: [title, dots, page] })
  const blocks = pdfBlocks([
    [
      line(1, 720, 'CONTENTS', { size: 14.5, ...bold }),
      line(1, 700, '1 About this manual 3', { ...bold, cells: ['1 About this manual', '3'] }),
      entry(688, '1.1 Scope', '3'),
      entry(676, '1.2 New versions', '4'),
      entry(664, '1.3 Authors and everyone who ever', ''),
      line(1, 652, 'wrote a word of it'),
      entry(640, '1.4 Related documents', '5'),
    ],
    [
      line(2, 700, '1.1 Scope', { size: 14.5, ...bold }),
      line(2, 670, 'What the manual is about.'),
      line(2, 640, 'Part Failures', { cells: ['Part', 'Failures'] }),
      line(2, 628, 'Rope 12', { cells: ['Rope', '12'] }),
      line(2, 616, 'Hook 3', { cells: ['Hook', '3'] }),
      line(2, 604, 'Drum 40', { cells: ['Drum', '40'] }),
      line(2, 592, 'Brake 7', { cells: ['Brake', '7'] }),
    ],
  ])
  expect(headings(blocks)).toEqual(['1.1 Scope'])
  expect(textOf(blocks)).not.toMatch(/Related|Authors|CONTENTS/)
  expect(blocks.at(-1)).toMatchObject({ kind: 'table', header: ['Part', 'Failures'] })
})

it('finds a list of definitions: terms in a font of their own over text set in', () => {
  const blocks = pdfBlocks([
    [
      line(1, 700, 'The following terms are used in this manual and in the others of the series:'),
      line(1, 682, 'ASCII', bold),
      line(1, 670, 'The character encoding of ANSI X3.4, which has one hundred and', { x: 97 }),
      line(1, 658, 'twenty-eight signs.', { x: 97 }),
      line(1, 640, 'upstream', bold),
      line(1, 628, 'The source of what is packaged, and the people who wrote it.', { x: 97 }),
      line(1, 600, 'Important words in a paragraph of their own', bold),
      line(1, 570, 'Text that is not set in, and that is not about any term at all.'),
    ],
  ])
  expect(blocks[1]).toMatchObject({
    kind: 'list',
    items: [
      'ASCII',
      ': The character encoding of ANSI X3.4, which has one hundred and twenty-eight signs.',
      'upstream',
      ': The source of what is packaged, and the people who wrote it.',
    ],
  })
  expect(blocks.slice(2).map(({ kind }) => kind)).toEqual(['paragraph', 'paragraph'])
})
