import { zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { readDocument } from '../read-document.ts'

async function read(body: string) {
  const content = `<office:document-content><office:body>${body}</office:body></office:document-content>`
  const bytes = zipSync({ 'content.xml': Buffer.from(content) })
  return readDocument({ name: 'lifting-gear.odp', bytes })
}

const frame = (kind: string, inside: string) =>
  `<draw:frame presentation:class="${kind}"><draw:text-box>${inside}</draw:text-box></draw:frame>`
const p = (text: string) => `<text:p>${text}</text:p>`
const list = (inside: string) => `<text:list><text:list-item>${inside}</text:list-item></text:list>`
const slides = (inside: string) => `<office:presentation>${inside}</office:presentation>`
const slide = (inside: string) => `<draw:page>${inside}</draw:page>`

it('reads slides as sections with their lists, tables, groups of shapes and notes', async () => {
  const table =
    '<draw:frame><table:table><table:table-row><table:table-cell><text:p>Part</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Hook</text:p></table:table-cell></table:table-row></table:table><draw:image/></draw:frame>'
  const notes = `<presentation:notes>${frame('page', p('thumbnail'))}${frame('notes', p('Say why.'))}${frame('page-number', p('1'))}</presentation:notes>`
  const group = `<draw:g><draw:custom-shape>${p('A shape')}</draw:custom-shape></draw:g>`
  const document = await read(
    slides(
      slide(
        // The title may come after other frames.
        frame('outline', list(p('one')) + list(p('two') + list(p('inner')))) +
          frame('title', p('Ropes<text:line-break/>and hooks')) +
          frame('footer', p('Confidential')) +
          table +
          group +
          notes,
      ) +
        slide(frame('subtitle', p('No title here'))) +
        slide(''),
    ),
  )
  expect(document).toMatchObject({ title: 'Ropes and hooks', format: 'odp', pageCount: 3 })
  expect(document.blocks).toEqual([
    { kind: 'heading', level: 2, text: 'Ropes and hooks', page: 1 },
    { kind: 'list', items: ['- one', '- two', '  - inner'], page: 1 },
    { kind: 'table', header: ['Part'], rows: [['Hook']], page: 1 },
    { kind: 'paragraph', text: 'A shape', page: 1 },
    { kind: 'paragraph', text: 'Say why.', page: 1 },
    { kind: 'heading', level: 2, text: 'Slide 2', page: 2 },
    { kind: 'paragraph', text: 'No title here', page: 2 },
  ])
})

it.each([slides(''), '<office:text/>'])('refuses %s, which has no slides', async (body) => {
  await expect(read(body)).rejects.toThrow('The file has no slides')
})
