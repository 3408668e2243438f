import { zipSync } from 'fflate'
import { expect, it } from 'vitest'
import type { Block } from '../document.ts'
import { readDocument } from '../read-document.ts'

async function blocksOf(files: Record<string, string>): Promise<readonly Block[]> {
  const entries = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])
  return (await readDocument({ name: 'a.docx', bytes: zipSync(Object.fromEntries(entries)) }))
    .blocks
}

async function bodyOf(body: string, parts: Record<string, string> = {}) {
  const document = `<w:document><w:body>${body}</w:body></w:document>`
  return blocksOf({ 'word/document.xml': document, ...parts })
}

function p(text: string, properties = ''): string {
  return `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`
}

const tc = (content: string) => `<w:tc>${content}</w:tc>`
const control = (content: string) => `<w:sdt><w:sdtContent>${content}</w:sdtContent></w:sdt>`

it('reads the rows and cells of a table that are in content controls', async () => {
  const rows = [
    `<w:tr>${tc(p('Part'))}${control(tc(p('Rate')))}</w:tr>`,
    control(`<w:tr>${tc(p('Hook'))}${tc(control(p('3')))}</w:tr>`),
  ]
  expect(await bodyOf(`<w:tbl>${rows.join('')}</w:tbl>`)).toEqual([
    { kind: 'table', header: ['Part', 'Rate'], rows: [['Hook', '3']] },
  ])
})

const box = (...texts: readonly string[]) => {
  const content = `<w:txbxContent>${texts.map((text) => p(text)).join('')}</w:txbxContent>`
  return `<mc:AlternateContent><mc:Choice><wps:txbx>${content}</wps:txbx></mc:Choice><mc:Fallback><v:textbox>${content}</v:textbox></mc:Fallback></mc:AlternateContent>`
}

it('keeps the lines of a text box apart, and reads each once', async () => {
  const anchored = `<w:p><w:r><w:t>Beside</w:t></w:r><w:r>${box('One', 'Two')}</w:r></w:p>`
  expect(await bodyOf(anchored)).toEqual([{ kind: 'paragraph', text: 'Beside\nOne\n\nTwo' }])
  const table = `<w:tbl><w:tr>${tc(anchored)}</w:tr></w:tbl>`
  expect(await bodyOf(table)).toEqual([
    { kind: 'table', header: [], rows: [['Beside\nOne\n\nTwo']] },
  ])
})

const numbered = (id: number, text: string) =>
  p(text, `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="${id}"/></w:numPr>`)

it('starts a list again where Word does, and continues it otherwise', async () => {
  const numbering = `<w:numbering>
    <w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
    <w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="0"/></w:num></w:numbering>`
  const body = [1, 1, 2, 2, 3].map((id) => numbered(id, 'x')).join('')
  expect(await bodyOf(body, { 'word/numbering.xml': numbering })).toEqual([
    { kind: 'list', items: ['1. x', '2. x', '1. x', '2. x', '3. x'] },
  ])
})

it('leaves a table of contents out, and counts the pages that it takes', async () => {
  const gallery =
    '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
  const next = '<w:p><w:r><w:lastRenderedPageBreak/><w:t>1.1 Ropes 1</w:t></w:r></w:p>'
  const contents = `<w:sdt>${gallery}<w:sdtContent>${p('Contents')}${next}</w:sdtContent></w:sdt>`
  const entry = p('1.2 Hooks 2', '<w:pStyle w:val="TOC2"/>')
  const styles = '<w:styles><w:style w:styleId="TOC2"><w:name w:val="toc 2"/></w:style></w:styles>'
  const blocks = await bodyOf(contents + entry + p('Ropes hold.'), { 'word/styles.xml': styles })
  expect(blocks).toEqual([{ kind: 'paragraph', text: 'Ropes hold.', page: 2 }])
})

it('finds the parts of a document by its relationships', async () => {
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const relation = (kind: string, target: string) =>
    `<Relationships><Relationship Id="rId1" Type="${type}/${kind}" Target="${target}"/></Relationships>`
  const styles =
    '<w:styles><w:style w:styleId="a3"><w:name w:val="heading 1"/></w:style></w:styles>'
  const blocks = await blocksOf({
    '_rels/.rels': relation('officeDocument', '/word/document2.xml'),
    'word/_rels/document2.xml.rels': relation('styles', 'styles2.xml'),
    'word/document2.xml': `<w:document><w:body>${p('Ropes', '<w:pStyle w:val="a3"/>')}</w:body></w:document>`,
    'word/styles2.xml': styles,
  })
  expect(blocks).toEqual([{ kind: 'heading', level: 1, text: 'Ropes' }])
})

const refer = (id: number, kind = 'footnote') => `<w:r><w:${kind}Reference w:id="${id}"/></w:r>`
const note = (id: number, text: string, kind = 'footnote') =>
  `<w:${kind} w:id="${id}">${text}</w:${kind}>`

it('reads a note where the text refers to it, and below a heading', async () => {
  const gone = '<w:p><w:del><w:r><w:delText>Gone.</w:delText></w:r></w:del></w:p>'
  const parts = {
    'word/footnotes.xml': `<w:footnotes>${note(0, p('separator'))}${note(2, p('At 20 °C.') + p('Twice.') + gone)}${note(3, p('See B.'))}</w:footnotes>`,
    'word/endnotes.xml': `<w:endnotes>${note(2, p('By law.'), 'endnote')}</w:endnotes>`,
  }
  const heading = p('Scope', '<w:outlineLvl w:val="0"/>').replace('</w:p>', `${refer(3)}</w:p>`)
  const first = p('Ropes hold.').replace('</w:p>', `${refer(2)}${refer(2, 'endnote')}</w:p>`)
  expect(
    await bodyOf(heading + first + p('Hooks bend.') + `<w:p>${refer(2)}</w:p>`, parts),
  ).toEqual([
    { kind: 'heading', level: 1, text: 'Scope' },
    { kind: 'paragraph', text: 'See B.' },
    { kind: 'paragraph', text: 'Ropes hold. At 20 °C. Twice.  By law.' },
    { kind: 'paragraph', text: 'Hooks bend.' },
  ])
})
