import { describe, expect, it } from 'vitest'
import type { Block } from '../document.ts'
import { readDocument } from '../read-document.ts'

async function blocksOf(name: string, text: string): Promise<readonly Block[]> {
  return (await readDocument({ name, bytes: Buffer.from(text, 'latin1') })).blocks
}

const td = (text: string) => String.raw`\pard\plain \s30\qc\intbl\ltrpar{\loch ${text}}\cell`
const tr = (...cells: string[]) =>
  String.raw`\trowd\trql\cellx2401\cellx4292${cells.map(td).join('')}\row\pard`
const line = (text: string) => String.raw`\pard\plain \s28\f5{\loch ${text}}\par `

describe('rich text', () => {
  it('is read with its signs, and without its tables of fonts and styles', async () => {
    const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}}{\stylesheet{\s1 heading 1;}}
{\*\generator Word;}\pard\outlinelevel0 4 Gr\'f6\'dfe\par\pard Ropes {\b hold}\u8212\'97 five tons \{each\}.\par
Second\line line\par}`
    expect(await blocksOf('a.rtf', rtf)).toEqual([
      { kind: 'heading', level: 1, text: '4 Größe' },
      { kind: 'paragraph', text: 'Ropes hold— five tons {each}.' },
      { kind: 'paragraph', text: 'Second\nline' },
    ])
    await expect(blocksOf('b.rtf', 'plain')).rejects.toMatchObject({ code: 'malformed' })
  })
})

describe('rich text of LibreOffice', () => {
  const rtf = String.raw`{\rtf1\ansi{\fonttbl{\f0\fcharset0 Cambria;}}
{\stylesheet{\s0\snext0\f0 Normal;}{\s1\sbasedon0\snext0\b Heading 1;}{\s7\outlinelevel1 Clause;}}
{\info{\title R\u252\'fcckhaltesysteme}}\pard\plain \s1{
{\*\bkmkstart __\u31532\'3f}Scope}
\par \pard\plain \s0{\loch Ropes hold.}{{\super \chftn{\*\footnote \chftn\pard\plain \s9{
 }{\loch Measured at 20 degrees.}
\par Twice.}}
}{\loch  They bend.}
\par \pard\plain \s7{\listtext\pard\plain 2.1\tab}\ls1{\loch Hooks}\par}`

  it('has headings by style, its title, and notes in the paragraph that refers to them', async () => {
    const { title, blocks } = await readDocument({ name: 'a.rtf', bytes: Buffer.from(rtf) })
    expect(title).toBe('Rückhaltesysteme')
    expect(blocks).toEqual([
      { kind: 'heading', level: 1, text: 'Scope' },
      { kind: 'paragraph', text: 'Ropes hold. Measured at 20 degrees. Twice. They bend.' },
      { kind: 'heading', level: 2, text: '2.1 Hooks' },
    ])
  })
})

describe('rich text as LibreOffice 7.4 writes it', () => {
  const styles = String.raw`{\stylesheet{\s28\sbasedon0\snext28\f5\fs20 Preformatted Text;}}`
  const bullet = String.raw`{\listtext\pard\plain \f6 \u57352\'3f\tab}`

  it('has tables, also with paragraphs in a cell, and after text that nothing ends', async () => {
    const rope = String.raw`Rope}\par \pard\plain \intbl{of steel`
    const rtf = String.raw`{\rtf1 Loads${tr('Part', 'Tons')}${tr(rope, '5')}\plain After.\par}`
    expect(await blocksOf('a.rtf', rtf)).toEqual([
      { kind: 'paragraph', text: 'Loads' },
      { kind: 'table', header: ['Part', 'Tons'], rows: [['Rope of steel', '5']] },
      { kind: 'paragraph', text: 'After.' },
    ])
    const unended = String.raw`{\rtf1\trowd\intbl Hook\cell 2\cell\row One.\par Two.\par}`
    expect(await blocksOf('c.rtf', unended)).toEqual([
      { kind: 'table', header: [], rows: [['Hook', '2']] },
      { kind: 'paragraph', text: 'One.' },
      { kind: 'paragraph', text: 'Two.' },
    ])
    expect(await blocksOf('b.rtf', String.raw`{\rtf1\trowd Hook\cell 2\cell`)).toEqual([
      { kind: 'table', header: [], rows: [['Hook', '2']] },
    ])
  })

  it('has lists with their numbers, and bullets of a font of symbols as hyphens', async () => {
    const rtf = String.raw`{\rtf1\pard${bullet}\ilvl0\ls4{\loch Ropes}\par
\pard${bullet}\ilvl1\ls4 of steel\par\pard{\pntext\f0 2.\tab}Hooks\par\pard Plain.\par}`
    expect(await blocksOf('a.rtf', rtf)).toEqual([
      { kind: 'list', items: ['- Ropes', '  - of steel', '2. Hooks'] },
      { kind: 'paragraph', text: 'Plain.' },
    ])
  })

  it('leaves a table of contents out, by its field and by its styles', async () => {
    const page = String.raw`{\field{\*\fldinst PAGEREF a}{\fldrslt 1}}`
    const rtf = String.raw`{\rtf1{\stylesheet{\s31\snext0 toc 1;}}\pard
{\field{\*\fldinst { TOC \\o "1-2" }}{\fldrslt {1 Ropes\tab ${page}}\par \pard 2 Hooks\tab 2}}\par
\pard\s31 3 Drums\tab 3\par \pard See page {\field{\*\fldinst PAGE}{\fldrslt 7}}.\par}`
    expect(await blocksOf('a.rtf', rtf)).toEqual([{ kind: 'paragraph', text: 'See page 7.' }])
  })

  it('has code with its lines and spaces', async () => {
    const rtf = `{\\rtf1${styles}${line('')}${line('if x:')}${line('')}${line('    stop()')}}`
    expect(await blocksOf('a.rtf', rtf)).toEqual([{ kind: 'code', text: 'if x:\n\n    stop()' }])
  })
})

describe('the letters of rich text', () => {
  it.each([
    ['of the code page', String.raw`{\rtf1\ansicpg932 \'93\'fa\'96{\b\'7b} A\'83A}`, '日本 Aア'],
    ['of the font', String.raw`{\rtf1{\fonttbl{\f1\fnil\fcharset204 Arial;}}\f1 \'cf\'ee}`, 'По'],
    ['of a file that was cut off', String.raw`{\rtf1 Ropes hold.{\*\pict abc`, 'Ropes hold.'],
  ])('are those %s', async (_, rtf, text) => {
    expect(await blocksOf('a.rtf', rtf)).toEqual([{ kind: 'paragraph', text }])
  })
})

describe('the signs of rich text', () => {
  it('are read: hyphens that do not break, spaces that do not break, optional hyphens', async () => {
    const rtf = String.raw`{\rtf1 self\_locking 5\~t over\-load\constructor\par}`
    expect(await blocksOf('a.rtf', rtf)).toEqual([
      { kind: 'paragraph', text: 'self-locking 5\u00A0t overload' },
    ])
  })

  it('end a paragraph before the end of a line, as TextEdit writes it', async () => {
    const rtf = '{\\rtf1 Ropes wear.\\\nHooks bend.\\\r\nDrums turn.}'
    expect(await blocksOf('a.rtf', rtf)).toEqual([
      { kind: 'paragraph', text: 'Ropes wear.' },
      { kind: 'paragraph', text: 'Hooks bend.' },
      { kind: 'paragraph', text: 'Drums turn.' },
    ])
  })
})
