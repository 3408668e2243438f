import { expect, it } from 'vitest'
import { pdfBlocks } from './pdf-blocks.ts'
import { pageLines } from './pdf-lines.ts'

function lines(texts: readonly string[], size: number, top: number) {
  const items = texts.map((str, at) => ({
    str,
    transform: [size, 0, 0, size, 50, top - 1.2 * size * at],
    width: 100,
    fontName: 'f',
  }))
  return pageLines(items, 1, () => false)
}

it.each([
  [
    'Hans Br¨oker, P´eter, J´erˆome, Fran¸cois, Mikul´ık, Erd˝os',
    'Hans Bröker, Péter, Jérôme, François, Mikulík, Erdős',
  ],
  ['the βˆj, y¯ = 3, ˜ /.x and a ¨ b', 'the βˆj, y¯ = 3, ˜ /.x and a ¨ b'],
])('reads the accents that TeX sets before their letters in %j', (text, expected) => {
  expect(lines([text], 10, 700).map((line) => line.text)).toEqual([expected])
})

function part(str: string, fontName: string, x: number, y: number) {
  return { str, transform: [10, 0, 0, 10, x, y], width: 40, fontName }
}

it('takes a line with a long address for text, and a line of code for code', () => {
  const items = [
    part('You can also read ', 'text', 50, 700),
    part('https://www.example.org/', 'mono', 90, 700),
    part(' and the manual', 'text', 130, 700),
    part('double precision', 'mono', 50, 688),
    part('x <- read(', 'mono', 70, 660),
    part('∼', 'symbol', 110, 660),
  ]
  const page = pageLines(items, 1, (font) => font === 'mono')
  expect(page.map(({ mono }) => mono)).toEqual([false, true, true])
  expect(pdfBlocks([page])).toEqual([
    {
      kind: 'paragraph',
      text: 'You can also read https://www.example.org/ and the manual double precision',
      page: 1,
    },
    { kind: 'code', text: 'x <- read(∼', page: 1 },
  ])
})

it('takes large type that goes on and on for text', () => {
  const large = Array.from(
    { length: 6 },
    (_, n) => `A line of large type number ${n} that says more`,
  )
  const body = Array.from({ length: 40 }, (_, n) => `The body says this in line ${n}.`)
  const [first] = pdfBlocks([[...lines(large, 14, 700), ...lines(body, 10, 500)]])
  expect(first).toMatchObject({ kind: 'paragraph' })
})

it('joins the words that line ends cut, and keeps the hyphens of compounds', () => {
  const text = [
    'A machine and a readable file of the main well-known type hori-',
    'zontally, main-',
    'taining and machine-',
    'readable, a well-',
    'known T-',
    'shirt EXPRESS OR IM-',
    'PLIED, for GNU-',
    'Linux',
  ]
  expect(pdfBlocks([lines(text, 10, 700)])).toEqual([
    {
      kind: 'paragraph',
      page: 1,
      text: 'A machine and a readable file of the main well-known type horizontally, maintaining and machine-readable, a well-known T-shirt EXPRESS OR IMPLIED, for GNU- Linux',
    },
  ])
})

it('keeps the mark of a note apart from words, but not a unit', () => {
  const small = (str: string, x: number, y: number) => ({
    ...part(str, 'f', x, y),
    transform: [6, 0, 0, 6, x, y],
    width: 5,
  })
  const items = [
    part('many areas', 'f', 50, 700),
    small('12', 90, 704),
    part(', 5 m', 'f', 95, 700),
    small('2', 135, 704),
    small('1', 50, 664),
    part('You may', 'f', 55, 660),
  ]
  expect(pageLines(items, 1, () => false).map(({ text }) => text)).toEqual([
    'many areas 12, 5 m2',
    '1 You may',
  ])
})
