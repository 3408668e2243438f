import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import type { Block } from '../document.ts'
import { readDocument } from '../read-document.ts'

function zip(files: Record<string, string>): Uint8Array {
  const entries = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])
  return zipSync(Object.fromEntries(entries))
}

async function blocksOf(name: string, bytes: Uint8Array | string): Promise<readonly Block[]> {
  const raw = { name, bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes }
  return (await readDocument(raw)).blocks
}

function sheetXml(rows: string): string {
  return `<worksheet><sheetData>${rows}</sheetData></worksheet>`
}

function oneCell(text: string): string {
  return sheetXml(`<row r="1"><c r="A1" t="str"><v>${text}</v></c></row>`)
}

/** A workbook with the parts that each test is about. */
function workbook(parts: Record<string, string>): Uint8Array {
  return zip({
    'xl/workbook.xml':
      '<workbook><sheets><sheet name="Loads" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    ...parts,
  })
}

/** Styles of these formats, then of some that every workbook has. */
function styles(...codes: readonly string[]): string {
  const own = codes.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`)
  const ids = [...codes.map((_, at) => 200 + at), 0, 14, 20, 22, 46]
  const cells = ids.map((id) => `<xf numFmtId="${id}"/>`)
  return `<styleSheet><numFmts>${own.join('')}</numFmts><cellXfs>${cells.join('')}</cellXfs></styleSheet>`
}

async function shown(code: string, value: string, from1904 = false): Promise<string> {
  const bytes = workbook({
    ...(from1904 && {
      'xl/workbook.xml':
        '<workbook><workbookPr date1904="1"/><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>',
    }),
    'xl/styles.xml': styles(code),
    'xl/worksheets/sheet1.xml': sheetXml(`<row><c s="0"><v>${value}</v></c></row>`),
  })
  const [, table] = await blocksOf('a.xlsx', bytes)
  return table?.kind === 'table' ? (table.rows[0]?.[0] ?? '') : ''
}

describe('a workbook of Excel', () => {
  it('finds its texts by their relationship, and gives none to a cell without a value', async () => {
    const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
    const bytes = workbook({
      'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${type}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${type}/sharedStrings" Target="SharedStrings.xml"/></Relationships>`,
      'xl/SharedStrings.xml': '<sst><si><t>Part</t></si><si><t>Hook</t></si></sst>',
      'xl/worksheets/sheet1.xml': sheetXml(
        '<row><c t="s"><v>0</v></c><c t="str"><v>Rate</v></c></row><row><c t="s"><v>1</v></c><c t="s"/></row><row><c t="s"/><c t="b"/></row>',
      ),
    })
    expect(await blocksOf('a.xlsx', bytes)).toEqual([
      { kind: 'heading', level: 2, text: 'Loads' },
      { kind: 'table', header: ['Part', 'Rate'], rows: [['Hook', '']] },
    ])
  })

  it('is a section for each sheet, in the order of the tabs, wherever its parts are', async () => {
    const bytes = zip({
      '_rels/.rels':
        '<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="/book/main.xml"/></Relationships>',
      'book/main.xml':
        '<x:workbook><x:sheets><x:sheet name="B" sheetId="2" r:id="b"/><x:sheet name="A" sheetId="1" r:id="a"/></x:sheets></x:workbook>',
      'book/_rels/main.xml.rels':
        '<Relationships><Relationship Id="a" Target="one.xml"/><Relationship Id="b" Target="/book/two.xml"/></Relationships>',
      'book/one.xml': oneCell('first'),
      'book/two.xml': oneCell('second'),
    })
    const document = await readDocument({ name: 'flock-book.xlsx', bytes })
    expect(document).toMatchObject({ title: 'flock book', format: 'xlsx' })
    expect(document.blocks).toEqual([
      { kind: 'heading', level: 2, text: 'B' },
      { kind: 'table', header: [], rows: [['second']] },
      { kind: 'heading', level: 2, text: 'A' },
      { kind: 'table', header: [], rows: [['first']] },
    ])
  })

  it('gives every cell its column, and leaves out those without a word', async () => {
    const bytes = workbook({
      'xl/worksheets/sheet1.xml': sheetXml(
        `<row r="2"><c r="B2" t="str"><v>Loads of 2024</v></c></row>
         <row r="4"><c r="B4" t="str"><v>Part</v></c><c r="AA4" t="str"><v>Load</v></c></row>
         <row r="5"><c r="C5" s="1"/><c r="AA5"><v>5</v></c></row>
         <row><c t="str"><v>Hook</v></c></row>`,
      ),
    })
    expect(await blocksOf('a.xlsx', bytes)).toEqual([
      { kind: 'heading', level: 2, text: 'Loads' },
      { kind: 'paragraph', text: 'Loads of 2024' },
      {
        kind: 'table',
        header: ['', 'Part', 'Load'],
        rows: [
          ['', '', '5'],
          ['Hook', '', ''],
        ],
      },
    ])
  })

  it('shows texts, truth, errors and formulas as their reader sees them', async () => {
    const bytes = workbook({
      'xl/sharedStrings.xml':
        '<sst><si><t>plain </t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>aloud</t></rPh></si><si><t>a_x000D_b _x005F_x</t></si></sst>',
      'xl/worksheets/sheet1.xml': sheetXml(
        `<row r="1"><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="s"><v>9</v></c>
         <c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#N/A</v></c><c><f>1+1</f><v>2</v></c>
         <c t="inlineStr"><is><t>in</t><rPh><t>aloud</t></rPh></is><v>7</v></c></row>`,
      ),
    })
    expect((await blocksOf('a.xlsx', bytes))[1]).toMatchObject({
      rows: [['plain', 'rich', 'a b _x', 'TRUE', 'FALSE', '#N/A', '2', 'in']],
    })
  })

  it.each([
    ['dd/mm/yyyy', '45292', '2024-01-01'],
    ['[$-409]mmm yy;@', '45292', '2024-01-01'],
    ['d.m.yyyy h:mm', '45292.75', '2024-01-01 18:00:00'],
    ['yyyy-mm-dd', '45292.5', '2024-01-01 12:00:00'],
    ['yyyy', '1', '1900-01-01'],
    ['yyyy', '59', '1900-02-28'],
    ['yyyy', '61', '1900-03-01'],
    ['h:mm:ss', '45292.5000115741', '12:00:01'],
    ['[h]:mm', '1.5', '36:00:00'],
    ['[h]:mm', '-0.25', '-06:00:00'],
    ['#,##0.00 &quot;days&quot;', '4.5999999999999996', '4.6'],
    ['[Red]0.00', '3.10', '3.1'],
    ['0\\d', '12', '12'],
    ['General', '1E-3', '0.001'],
    ['0', '1234567890123456789', '1234567890123456789'],
    ['0', '-7', '-7'],
    ['0', 'many', 'many'],
    ['yyyy', '1e300', '1e300'],
  ])('shows in the format %s the number %s as %s', async (code, value, text) => {
    expect(await shown(code, value)).toBe(text)
  })

  it('counts days from 1904 where it says so', async () => {
    expect(await shown('yyyy', '0', true)).toBe('1904-01-01')
    expect(await shown('yyyy', '43831', true)).toBe('2024-01-02')
  })

  it('knows the formats that every workbook has', async () => {
    const cells = [0, 1, 2, 3, 4].map((style) => `<c s="${style}"><v>45292.25</v></c>`).join('')
    const bytes = workbook({
      'xl/styles.xml': styles(),
      'xl/worksheets/sheet1.xml': sheetXml(`<row>${cells}</row>`),
    })
    expect((await blocksOf('a.xlsx', bytes))[1]).toMatchObject({
      rows: [
        ['45292.25', '2024-01-01 06:00:00', '06:00:00', '2024-01-01 06:00:00', '1087014:00:00'],
      ],
    })
  })

  it('reads a sheet of single words, however long', async () => {
    const rows = Array.from({ length: 200_000 }, (_, n) => {
      const column = n % 2 === 0 ? 'A' : 'B'
      return `<row r="${n + 1}"><c r="${column}${n + 1}"><v>${n}</v></c></row>`
    })
    const bytes = workbook({ 'xl/worksheets/sheet1.xml': sheetXml(rows.join('')) })
    expect(await blocksOf('a.xlsx', bytes)).toHaveLength(200_001)
  })

  it('is refused without a workbook, and where a few bytes name a thousand million cells', async () => {
    await expect(blocksOf('a.xlsx', zip({ 'x.xml': '<a/>' }))).rejects.toMatchObject({
      code: 'malformed',
    })
    const far = Array.from({ length: 3_000 }, (_, n) => {
      const letters = [n / 676, n / 26, n].map((at) =>
        String.fromCharCode(65 + (Math.floor(at) % 26)),
      )
      return `<row r="${n + 1}"><c r="${letters.join('')}${n + 1}"><v>1</v></c></row>`
    })
    const bytes = workbook({ 'xl/worksheets/sheet1.xml': sheetXml(far.join('')) })
    await expect(blocksOf('a.xlsx', bytes)).rejects.toMatchObject({ code: 'too_large' })
  })
})

function ods(tables: string): Uint8Array {
  return zip({ 'content.xml': `<office:spreadsheet>${tables}</office:spreadsheet>` })
}

describe('a spreadsheet of OpenDocument', () => {
  it('gives values as they are stored, and cells and rows as often as they stand', async () => {
    const bytes = ods(`<table:table table:name="Loads">
      <table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
      <table:table-row><table:table-cell/><table:table-cell><text:p>Part</text:p></table:table-cell><table:table-cell><text:p>Load</text:p><text:p>in <text:span>t</text:span></text:p></table:table-cell><table:table-cell><office:annotation><text:p>why?</text:p></office:annotation><text:p>Day</text:p></table:table-cell></table:table-row>
      <table:table-row table:number-rows-repeated="2"><table:table-cell/><table:table-cell table:number-columns-repeated="2" office:value-type="float" office:value="0.3333333333"><text:p>0.33</text:p></table:table-cell><table:table-cell office:value-type="date" office:date-value="2024-01-01T06:00:00"><text:p>1.1.</text:p></table:table-cell></table:table-row>
      <table:table-row><table:table-cell/><table:covered-table-cell><text:p>a<text:tab/>b<text:s/>c</text:p></table:covered-table-cell></table:table-row>
    </table:table><table:table table:name="Empty"/>`)
    const third = ['0.3333333333', '0.3333333333', '2024-01-01 06:00:00']
    expect(await blocksOf('a.ods', bytes)).toEqual([
      { kind: 'heading', level: 2, text: 'Loads' },
      {
        kind: 'table',
        header: ['Part', 'Load in t', 'Day'],
        rows: [third, third, ['a b c', '', '']],
      },
    ])
  })

  it('is refused without content, and where it repeats a cell without end', async () => {
    await expect(blocksOf('a.ods', zip({ 'x.xml': '<a/>' }))).rejects.toMatchObject({
      code: 'malformed',
    })
    const bytes = ods(
      '<table:table><table:table-row table:number-rows-repeated="1e15"><table:table-cell table:number-columns-repeated="1e15"><text:p>x</text:p></table:table-cell></table:table-row></table:table>',
    )
    await expect(blocksOf('a.ods', bytes)).rejects.toMatchObject({ code: 'too_large' })
  })
})
