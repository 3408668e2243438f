import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { type Block, blockText } from '../document.ts'
import { readDocument } from '../read-document.ts'

function zip(files: Record<string, string>): Uint8Array {
  const entries = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])
  return zipSync(Object.fromEntries(entries))
}

async function blocksOf(name: string, bytes: Uint8Array | string): Promise<readonly Block[]> {
  const raw = { name, bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes }
  return (await readDocument(raw)).blocks
}

function cell(text: string): string {
  return `<table:table-cell><text:p>${text}</text:p></table:table-cell>`
}

function row(inside: string): string {
  return `<table:table-row>${inside}</table:table-row>`
}

const level = (kind: string, format: string, more = '') =>
  `<text:${kind} style:num-format="${format}" ${more}/>`
const h = (outline: number, text: string, more = '') =>
  `<text:h text:outline-level="${outline}" ${more}>${text}</text:h>`
const line = (style: string, text: string) => `<text:p text:style-name="${style}">${text}</text:p>`
const item = (text: string) => `<text:list-item>${text}</text:list-item>`

describe('OpenDocument', () => {
  const content = `<office:document-content><office:body><office:text>
    <text:h text:outline-level="2">4.1<text:tab/>Ropes</text:h>
    <text:p>Ropes are <text:span>replaced</text:span><text:s/>yearly<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>or sooner</text:p></text:note-body></text:note>.</text:p>
    <text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>two</text:p></text:list-item></text:list></text:list-item></text:list>
    <table:table><table:table-row><table:table-cell><text:p>Part</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Hook</text:p></table:table-cell></table:table-row></table:table>
  </office:text></office:body></office:document-content>`

  it('is read with its headings, lists and tables', async () => {
    const meta = '<m><dc:title>Hoists</dc:title></m>'
    const bytes = zip({ 'content.xml': content, 'meta.xml': meta })
    const document = await readDocument({ name: 'a.odt', bytes })
    expect(document.title).toBe('Hoists')
    expect(document.blocks).toEqual([
      { kind: 'heading', level: 2, text: '4.1 Ropes' },
      { kind: 'paragraph', text: 'Ropes are replaced yearly or sooner .' },
      { kind: 'list', items: ['- one', '  - two'] },
      { kind: 'table', header: ['Part'], rows: [['Hook']] },
    ])
  })

  it('is read after the text of a number format, with numbered headings and covered cells', async () => {
    const text = `<office:document-content><office:automatic-styles><number:date-style><number:text>.</number:text></number:date-style></office:automatic-styles><office:body><office:text>
      <text:list><text:list-item><text:h text:outline-level="1">Ropes</text:h></text:list-item></text:list>
      <text:list><text:list-item><text:list><text:list-item><text:h text:outline-level="2">Hooks</text:h></text:list-item></text:list></text:list-item></text:list>
      <table:table><table:table-row>${cell('Part')}${cell('Size')}</table:table-row><table:table-row>${cell('Hook')}${cell('1')}</table:table-row><table:table-row><table:covered-table-cell/>${cell('2')}</table:table-row></table:table>
    </office:text></office:body></office:document-content>`
    expect(await blocksOf('a.odt', zip({ 'content.xml': text }))).toEqual([
      { kind: 'heading', level: 1, text: 'Ropes' },
      { kind: 'heading', level: 2, text: 'Hooks' },
      {
        kind: 'table',
        header: ['Part', 'Size'],
        rows: [
          ['Hook', '1'],
          ['', '2'],
        ],
      },
    ])
  })

  it('keeps the text of frames, list headers and numbered paragraphs, and reads inner tables once', async () => {
    const inner = `<table:table>${row(cell('in'))}${row(cell('side'))}</table:table>`
    const outer = `<table:table><table:table-header-rows>${row(cell('Part'))}</table:table-header-rows>${row(`<table:table-cell>${inner}</table:table-cell>`)}</table:table>`
    const body = `<draw:frame text:anchor-type="page"><draw:text-box><text:p>framed</text:p></draw:text-box></draw:frame>
      <text:numbered-paragraph><text:p>numbered</text:p></text:numbered-paragraph>
      <text:list><text:list-header><text:p>Take:</text:p></text:list-header><text:list-item><text:p>one</text:p></text:list-item></text:list>${outer}`
    const text = `<office:document-content><office:body><office:text>${body}</office:text></office:body></office:document-content>`
    expect(await blocksOf('a.odt', zip({ 'content.xml': text }))).toEqual([
      { kind: 'paragraph', text: 'framed' },
      { kind: 'paragraph', text: 'numbered' },
      { kind: 'list', items: ['Take:', '- one'] },
      { kind: 'table', header: ['Part'], rows: [['in side']] },
    ])
  })

  it('has the numbers that its styles give to headings and lists', async () => {
    const styles = `<office:document-styles><text:outline-style>${level('outline-level-style', '1')}${level('outline-level-style', '1', 'text:display-levels="2"')}</text:outline-style></office:document-styles>`
    const list = `<text:list-style style:name="L">${level('list-level-style-number', 'a', 'style:num-suffix=")"')}<text:list-level-style-bullet/></text:list-style>`
    const body = [
      h(1, 'Preface', 'text:is-list-header="true"'),
      h(1, 'Scope'),
      h(2, 'Ropes<text:note><text:note-body><text:p>See B.</text:p></text:note-body></text:note>'),
      `<text:list text:style-name="L">${item('<text:p>one</text:p><text:p>more</text:p>')}${item('<text:p>two</text:p><text:list><text:list-item><text:p>in</text:p></text:list-item></text:list>')}</text:list>`,
      `<text:list text:style-name="L" text:continue-numbering="true">${item('<text:p>three</text:p>')}</text:list>`,
      `<text:list text:style-name="L">${item(h(2, 'Again'))}</text:list>`,
      h(2, 'Copyright', 'text:style-name="Plain"'),
      h(1, 'Hooks'),
      h(2, 'Steel'),
    ]
    const plain = '<style:style style:name="Plain" style:list-style-name=""/>'
    const text = `<office:document-content><office:automatic-styles>${plain}${list}</office:automatic-styles><office:body><office:text>${body.join('')}</office:text></office:body></office:document-content>`
    const bytes = zip({ 'content.xml': text, 'styles.xml': styles })
    expect((await blocksOf('a.odt', bytes)).map((block) => blockText(block))).toEqual([
      'Preface',
      '1 Scope',
      '1.1 Ropes',
      'See B.',
      'a) one\nmore\nb) two\n  - in',
      'c) three',
      'a) Again',
      'Copyright',
      '2 Hooks',
      '2.1 Steel',
    ])
  })

  it.each(['a.ott', 'a.odt'])('is read as %s', async (name) => {
    expect(await blocksOf(name, zip({ 'content.xml': content }))).toHaveLength(4)
  })

  it('has code with its lines and spaces, by a style or one that comes from it', async () => {
    const text = `<office:document-content><office:automatic-styles><style:style style:name="P3" style:parent-style-name="Preformatted_20_Text"/></office:automatic-styles><office:body><office:text>
      ${line('P3', '')}${line('P3', 'if<text:s text:c="-3"/>x:')}${line('P3', '')}${line('Preformatted_20_Text', '<text:s text:c="4"/>stop()')}${line('P4', 'Plain.')}${line('P3', '')}
    </office:text></office:body></office:document-content>`
    const styles =
      '<office:document-styles><style:style style:name="Preformatted_20_Text"/></office:document-styles>'
    const bytes = zip({ 'content.xml': text, 'styles.xml': styles })
    expect(await blocksOf('a.odt', bytes)).toEqual([
      { kind: 'code', text: 'if x:\n\n    stop()' },
      { kind: 'paragraph', text: 'Plain.' },
    ])
  })

  it('has a title by its style, though that is no heading', async () => {
    const text = `<office:document-content><office:automatic-styles><style:style style:name="P1" style:parent-style-name="Title"/></office:automatic-styles><office:body><office:text>
      ${line('P1', 'Hoists')}${line('P2', 'Ropes hold.')}</office:text></office:body></office:document-content>`
    const document = await readDocument({ name: 'a.odt', bytes: zip({ 'content.xml': text }) })
    expect(document.title).toBe('Hoists')
    expect(document.blocks).toEqual([
      { kind: 'heading', level: 1, text: 'Hoists' },
      { kind: 'paragraph', text: 'Ropes hold.' },
    ])
  })

  it('is refused where it holds no text', async () => {
    await expect(blocksOf('a.odt', zip({ 'x.xml': '<a/>' }))).rejects.toMatchObject({
      code: 'malformed',
    })
  })
})

function run(text: string): string {
  return `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`
}

function shape(text: string, kind = ''): string {
  return `<p:sp><p:nvPr>${kind && `<p:ph type="${kind}"/>`}</p:nvPr>${text}</p:sp>`
}

function slide(title: string, lines: readonly string[]): string {
  const body = shape(lines.map(run).join(''))
  return `<p:sld>${shape(run(title), 'title')}${shape(run('7'), 'sldNum')}${body}</p:sld>`
}

/** The references of a part, from ids to a type and a target. */
function references(all: Record<string, readonly [type: string, target: string]>): string {
  const each = Object.entries(all).map(
    ([id, [type, target]]) =>
      `<Relationship Id="${id}" Type="http://x/relationships/${type}" Target="${target}"/>`,
  )
  return `<Relationships>${each.join('')}</Relationships>`
}

function ropes(page: number): Block[] {
  return [
    { kind: 'heading', level: 2, text: 'Ropes', page },
    { kind: 'list', items: ['- wear', '- break'], page },
  ]
}

function brakes(page: number): Block[] {
  return [
    { kind: 'heading', level: 2, text: 'Brakes', page },
    { kind: 'paragraph', text: 'hold', page },
  ]
}

describe('slides', () => {
  const slides = {
    'ppt/slides/slide10.xml': slide('Brakes', ['hold']),
    'ppt/slides/slide2.xml': slide('Ropes', ['wear', 'break']),
  }

  it('are sections in the order of the presentation, each once and with its own notes', async () => {
    const bytes = zip({
      ...slides,
      'ppt/slides/slide3.xml': slide('Deleted', ['but still in the file']),
      'ppt/presentation.xml':
        '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId7"/><p:sldId id="257" r:id="rId3"/><p:sldId id="258" r:id="rId7"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': references({
        rId3: ['slide', 'slides/slide2.xml'],
        rId7: ['slide', '/ppt/slides/slide10.xml'],
      }),
      'ppt/slides/_rels/slide2.xml.rels': references({
        rId1: ['slideLayout', '../slideLayouts/slideLayout1.xml'],
        rId2: ['notesSlide', '../notesSlides/notesSlide1.xml'],
      }),
      'ppt/notesSlides/notesSlide1.xml': `<p:notes>${shape(run('Say why.'))}</p:notes>`,
      'ppt/notesSlides/notesSlide10.xml': `<p:notes>${shape(run('Of no slide.'))}</p:notes>`,
    })
    expect(await blocksOf('a.pptx', bytes)).toEqual([
      ...brakes(1),
      ...ropes(2),
      { kind: 'paragraph', text: 'Say why.', page: 2 },
    ])
  })

  it('are in the order of their numbers if the presentation lists none', async () => {
    expect(await blocksOf('a.pptx', zip(slides))).toEqual([...ropes(1), ...brakes(2)])
  })

  it('are missing from a file that is refused', async () => {
    const bytes = zip({ 'ppt/presentation.xml': '<p:presentation/>' })
    await expect(blocksOf('a.pptx', bytes)).rejects.toMatchObject({ code: 'malformed' })
  })
})

describe('comma-separated values', () => {
  it.each([
    ['a.csv', 'Part,Note\n"Hook, large","says ""stop"""\nRope,\n'],
    ['a.tsv', 'Part\tNote\n"Hook, large"\t"says ""stop"""\nRope\t\n'],
    ['b.csv', '\uFEFFPart;Note\r\n"Hook, large";"says ""stop"""\r\nRope;'],
  ])('%s is a table', async (name, text) => {
    const rows = [
      ['Hook, large', 'says "stop"'],
      ['Rope', ''],
    ]
    expect(await blocksOf(name, Buffer.from(text))).toMatchObject([
      { kind: 'table', header: ['Part', 'Note'] },
    ])
    const [table] = await blocksOf(name, Buffer.from(text))
    const found = table?.kind === 'table' ? table.rows.map(([a, b = '']) => [a, b]) : []
    expect(found).toEqual(rows)
  })

  it('loses no line to a quotation mark that is never closed', async () => {
    const [table] = await blocksOf('a.csv', 'a,b\n"open,1\nc,2\n')
    expect(JSON.stringify(table)).toMatch(/open.*c/)
  })
})

it('reads AsciiDoc: sections, terms, lists, tables, code, and no attributes', async () => {
  const text = `= Hoist manual
:toc: left

== 4.1 Ropes

[NOTE]
====
Ropes
wear.
====

latch:: closes the mouth
hook::
carries the load

* one
  goes on
* two

[source,sh]
----
echo == not a heading
----

|===
|Part |Rate

|Hook |3
|===

//// 
hidden
////
`
  expect(await blocksOf('a.adoc', text)).toEqual([
    { kind: 'heading', level: 1, text: 'Hoist manual' },
    { kind: 'heading', level: 2, text: '4.1 Ropes' },
    { kind: 'paragraph', text: 'Ropes wear.' },
    { kind: 'list', items: ['latch', ': closes the mouth', 'hook', ': carries the load'] },
    { kind: 'list', items: ['* one goes on', '* two'] },
    { kind: 'code', text: 'echo == not a heading' },
    { kind: 'table', header: ['Part', 'Rate'], rows: [['Hook', '3']] },
  ])
})
