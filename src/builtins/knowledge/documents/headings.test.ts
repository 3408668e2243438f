import { expect, it } from 'vitest'
import type { Block } from './document.ts'
import { readDocument } from './read-document.ts'

async function read(name: string, text: string) {
  return readDocument({ name, bytes: Buffer.from(text) })
}

function headings(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) =>
    block.kind === 'heading' ? [`${block.level} ${block.text}`] : [],
  )
}

it('takes underlined titles of a text for headings, and then nothing else', async () => {
  const text = [
    'Manual\n******',
    '1. About\n********',
    'Written by two people:',
    '1. Ada Lovelace',
    '2. Grace Hopper',
    '1.1. Scope\n==========',
    'What it is about.',
    '1.1.1. "names"\n~~~~~~~~~~~~~~',
    'Names are names.',
    'More\n====',
  ].join('\n\n')
  const { blocks } = await read('a.txt', text)
  expect(headings(blocks)).toEqual([
    '1 Manual',
    '1 1. About',
    '2 1.1. Scope',
    '3 1.1.1. "names"',
    '2 More',
  ])
})

it('takes the label of a box for text, so that what follows stays under its clause', async () => {
  const html = '<h1>2.4. Reminders</h1><p>a</p><h3>Tip</h3><p>b</p><p>c</p><h2>2.4.1. Tips</h2>'
  const { blocks } = await read('a.html', html)
  expect(headings(blocks)).toEqual(['1 2.4. Reminders', '2 2.4.1. Tips'])
  expect(blocks[2]).toEqual({ kind: 'paragraph', text: 'Tip' })
})
