import { expect, it } from 'vitest'
import { markdownBlocks } from './read-markdown.ts'

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
