import { expect, it } from 'vitest'
import { readDocument } from '../read-document.ts'

async function read(name: string, ...lines: string[]) {
  return readDocument({ name, bytes: Buffer.from(lines.join('\n')) })
}

it('takes the title of reStructuredText from its first heading, without markup', async () => {
  const { title, blocks } = await read(
    'heapq.rst',
    '.. _heap:',
    '',
    ':mod:`heapq` --- the ``heap`` queue',
    '===================================',
    '',
    'Words.',
  )
  expect(title).toBe('heapq --- the heap queue')
  expect(blocks).toEqual([
    { kind: 'heading', level: 1, text: 'heapq --- the heap queue' },
    { kind: 'paragraph', text: 'Words.' },
  ])
})

it('keeps literal blocks, code blocks and doctests as they are', async () => {
  const { blocks } = await read(
    'a.rst',
    'Like this::',
    '',
    '    def add(task):',
    '        return 1',
    '',
    '    add(2)',
    '',
    'And this:',
    '',
    '.. code-block:: python',
    '   :linenos:',
    '',
    '   if x:',
    '      y()',
    '',
    '>>> h = []',
    '>>> h',
    '[]',
    '',
    'The end.',
  )
  expect(blocks).toEqual([
    { kind: 'paragraph', text: 'Like this::' },
    { kind: 'code', text: 'def add(task):\n    return 1\n\nadd(2)' },
    { kind: 'paragraph', text: 'And this:' },
    { kind: 'code', text: 'if x:\n   y()', language: 'python' },
    { kind: 'code', text: '>>> h = []\n>>> h\n[]' },
    { kind: 'paragraph', text: 'The end.' },
  ])
})

it('keeps the rows of simple tables', async () => {
  const table = ['=====  ====', 'First  Last', '=====  ====', 'Grace  Hopper', '=====  ====']
  const { blocks } = await read('a.rst', ...table)
  expect(blocks).toEqual([{ kind: 'code', text: table.join('\n') }])
})

it('finds underlined headings that text follows at once', async () => {
  const { title, blocks } = await read(
    'merge.txt',
    'MERGE(1)',
    '========',
    '',
    'NAME',
    '----',
    'merge - joins histories',
    'of two branches',
    '',
    '===',
    'End',
    '===',
    'the last words',
    '',
    'Option   Meaning',
    '----------------',
    '-a       all',
  )
  expect(title).toBe('MERGE(1)')
  expect(blocks).toEqual([
    { kind: 'heading', level: 1, text: 'MERGE(1)' },
    { kind: 'heading', level: 2, text: 'NAME' },
    { kind: 'paragraph', text: 'merge - joins histories of two branches' },
    { kind: 'heading', level: 3, text: 'End' },
    { kind: 'paragraph', text: 'the last words' },
    { kind: 'code', text: 'Option   Meaning\n----------------\n-a       all' },
  ])
})

it('keeps numbered headings where an example shows an underlined one', async () => {
  const { blocks } = await read(
    'guide.txt',
    'A Guide',
    '',
    '1. Notes',
    '',
    'Sort stability',
    '--------------',
    'is what the file says.',
    '',
    '2. More',
  )
  expect(blocks.filter(({ kind }) => kind === 'heading')).toEqual([
    { kind: 'heading', level: 1, text: '1. Notes' },
    { kind: 'heading', level: 1, text: '2. More' },
  ])
})

it.each(['README', 'docs/INSTALL', 'Changes'])(
  'reads %s, whose name says that it is text',
  async (name) => {
    expect((await read(name, 'Words.')).format).toBe('text')
  },
)

it('has no reader for other files without an extension', async () => {
  await expect(read('Makefile', 'all:')).rejects.toMatchObject({ code: 'unsupported' })
})

it('calls a text without such a title by the name of its file', async () => {
  const { title } = await read('my-notes.txt', '1. Introduction', '', 'Words.')
  expect(title).toBe('my notes')
})
