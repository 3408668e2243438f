import { expect, it } from 'vitest'
import { markdownBlocks, readMarkdown } from './read-markdown.ts'

it('reads headings without their markup, and an image by itself as a figure', async () => {
  const text = '# The *big* [picture](x)\n\n![A chart](chart.png)\n\n![A](a.png) and words\n'
  expect(await markdownBlocks(text)).toEqual([
    { kind: 'heading', level: 1, text: 'The big picture' },
    { kind: 'figure', text: '![A chart](chart.png)' },
    { kind: 'paragraph', text: '![A](a.png) and words' },
  ])
})

it('leaves quotes and lists as they are written', async () => {
  expect(await markdownBlocks('> a\n> > b\n\n- one\n  - two\n')).toEqual([
    { kind: 'paragraph', text: '> a\n> > b' },
    { kind: 'list', items: ['- one\n  - two'] },
  ])
})

it('keeps lines that only look like lists', async () => {
  const code = `${'-'.repeat(80)}\n+${'-----+'.repeat(10)}`
  expect(await markdownBlocks(`\`\`\`\n${code}\n\`\`\`\n`)).toEqual([{ kind: 'code', text: code }])
})

it('reads headings and tables that are written in HTML, and no comments', async () => {
  const html = '<h1 align="center">\n  <a href="/"><img alt="Logo" src="l.png"></a> chai\n</h1>'
  const table = '<table><tr><th>a</th></tr><tr><td>1</td></tr></table>'
  const text = `${html}\n\n<!-- hidden\n\nwords -->\n\n<div>\n\nWords\n\n</div>\n\n## Install\n\n${table}\n`
  expect(await markdownBlocks(text)).toEqual([
    { kind: 'heading', level: 1, text: '[Logo] chai' },
    { kind: 'paragraph', text: '<div>' },
    { kind: 'paragraph', text: 'Words' },
    { kind: 'paragraph', text: '</div>' },
    { kind: 'heading', level: 2, text: 'Install' },
    { kind: 'table', header: ['a'], rows: [['1']] },
  ])
})

it('takes its title from the first heading of the first level', async () => {
  const bytes = Buffer.from('## Sponsors\n\nMany.\n\n<h1>chai</h1>\n')
  expect((await readMarkdown({ name: 'README.md', bytes })).title).toBe('chai')
})

/** Each took from seconds to minutes, and some a gigabyte. */
it.each([
  ['quotes in quotes', '> '.repeat(100_000)],
  ['lists in lists', '- '.repeat(100_000)],
  ['emphasis that never ends', '*a_'.repeat(100_000)],
  ['such emphasis in a heading', `# ${'*a_'.repeat(100_000)}`],
  ['links that never end', '[a]('.repeat(50_000)],
  ['images that never end', '![a]('.repeat(50_000)],
])('reads %s in time', async (_, text) => {
  const before = process.cpuUsage()
  const blocks = await markdownBlocks(`${text}x\n\nlast words\n`)
  const { user, system } = process.cpuUsage(before)
  expect(blocks.at(-1)).toEqual({ kind: 'paragraph', text: 'last words' })
  expect((user + system) / 1_000).toBeLessThan(5_000)
})
