import { expect, it } from 'vitest'
import { readDocument } from '../read-document.ts'

async function read(...lines: string[]) {
  return readDocument({ name: 'manual.adoc', bytes: Buffer.from(lines.join('\n')) })
}

it('reads titles that are underlined', async () => {
  const { title, blocks } = await read(
    'git-merge(1)',
    '============',
    '',
    'NAME',
    '----',
    'git-merge - joins histories',
    '',
    'A history:',
    '----',
    'D---E---F',
    '----',
    '',
    '[[opts]]',
    'Options',
    '~~~~~~~',
    'none',
  )
  expect(title).toBe('git-merge(1)')
  expect(blocks).toEqual([
    { kind: 'heading', level: 1, text: 'git-merge(1)' },
    { kind: 'heading', level: 2, text: 'NAME' },
    { kind: 'paragraph', text: 'git-merge - joins histories' },
    { kind: 'paragraph', text: 'A history:' },
    { kind: 'code', text: 'D---E---F' },
    { kind: 'heading', level: 3, text: 'Options' },
    { kind: 'paragraph', text: 'none' },
  ])
})

it('takes a fence under a paragraph for a fence', async () => {
  const { blocks } = await read('Two lines of', 'text:', '-----', 'code', '-----', '', 'end')
  expect(blocks).toEqual([
    { kind: 'paragraph', text: 'Two lines of text:' },
    { kind: 'code', text: 'code' },
    { kind: 'paragraph', text: 'end' },
  ])
})

it('keeps all of a table: cells of several lines, cells with attributes, escaped bars', async () => {
  const { blocks } = await read(
    '.Options',
    '[cols="1,2a",options="header"]',
    '|===',
    '|Name',
    '|Meaning',
    '',
    '|--all',
    'a|Takes all',
    'of a \\| b',
    '2+|spans|last |cell',
    '|===',
  )
  expect(blocks).toEqual([
    { kind: 'paragraph', text: 'Options' },
    {
      kind: 'table',
      header: ['Name', 'Meaning'],
      rows: [
        ['--all', 'Takes all\nof a | b'],
        ['spans', 'spans'],
        ['last', 'cell'],
      ],
    },
  ])
})

it('reads terms that are set in as terms', async () => {
  const { blocks } = await read('    *insert*::', '        insert mode', '', '    x = std::max(1)')
  expect(blocks).toEqual([
    { kind: 'list', items: ['*insert*', ': insert mode'] },
    { kind: 'code', text: '    x = std::max(1)' },
  ])
})

it('keeps a table of one row, and the lines of one that separates its cells without bars', async () => {
  const { blocks } = await read(
    '|===',
    '|Hook |3',
    '|===',
    '',
    '[format=csv]',
    '|===',
    'a,b',
    '|===',
  )
  expect(blocks).toEqual([
    { kind: 'table', header: [], rows: [['Hook', '3']] },
    { kind: 'code', text: 'a,b' },
  ])
})
