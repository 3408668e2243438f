import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { writePdf } from '../../../../test/support/write-pdf.ts'
import { startProcess } from '../../../base/flow/start-process.ts'
import type { Block } from '../documents/document.ts'
import type { ReadRequest } from './document-reader.ts'
import { DocumentProcess } from './document-process.ts'
import { ingestOptions } from './ingest-options.ts'

const options = ingestOptions.parse({})

function aReader({ memoryMb = 512, patienceMs = 60_000 } = {}): DocumentProcess {
  const reader = new DocumentProcess(
    () => startProcess('builtins/knowledge/ingest/document-worker', { memoryMb }),
    patienceMs,
  )
  onTestFinished(async () => reader.close())
  return reader
}

function aDocument(name: string, content: string | Uint8Array): ReadRequest {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return { name, bytes, location: `/docs/${name}`, options }
}

function aPdf(chapters: number): ReadRequest {
  const text = 'The hoist SHALL stop within two seconds when its brake is applied. '.repeat(20)
  const blocks = Array.from({ length: chapters }, (_, n): Block[] => [
    { kind: 'heading', level: 2, text: `${n + 1} Chapter` },
    { kind: 'paragraph', text },
  ])
  return aDocument('big.pdf', writePdf(blocks.flat(), { breakChapters: true }).bytes)
}

const NOTE = aDocument('note.md', '# 1 Note\n\nShort.')

it('reads a document elsewhere: this process has next to nothing to do', async () => {
  const reader = aReader()
  await reader.read(NOTE)
  const pages: string[] = []
  const before = performance.eventLoopUtilization()
  const { pageCount, chunks, format } = await reader.read(aPdf(150), {
    onPage: (page, total) => pages.push(`${page} of ${total}`),
  })
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.4)
  expect({ pageCount, format, chunks: chunks.length > 10 }).toEqual({
    pageCount: 150,
    format: 'pdf',
    chunks: true,
  })
  expect(pages).toHaveLength(150)
  expect(pages.at(-1)).toBe('150 of 150')
})

it('gives a document up at once when told to, and reads the next', async () => {
  const reader = aReader()
  const stop = new AbortController()
  const reading = reader.read(aPdf(400), { signal: stop.signal, onPage: () => stop.abort() })
  await expect(reading).rejects.toThrow('aborted')
  expect(await reader.read(NOTE)).toMatchObject({ format: 'markdown' })
})

it('tells what is wrong with a document in its own words', async () => {
  await expect(aReader().read(aDocument('a.pdf', '%PDF-1.4 nothing'))).rejects.toMatchObject({
    name: 'DocumentError',
    code: 'malformed',
    suggestion: expect.stringContaining('PDF viewer'),
  })
})

it('gives up a document that takes too long', async () => {
  const nested = Array.from({ length: 1_500 }, (_, n) => `${' '.repeat(n)}- x`).join('\n')
  const reading = aReader({ patienceMs: 1_500 }).read(aDocument('nested.md', nested))
  await expect(reading).rejects.toThrow('nested.md was not read within 1.5 seconds')
})

it('survives a document that fills the memory', async () => {
  const reader = aReader({ memoryMb: 40 })
  const bomb = aDocument('bomb.html', '<p>a <b>bold</b> word</p>'.repeat(300_000))
  await expect(reader.read(bomb)).rejects.toMatchObject({
    code: 'too_large',
    suggestion: 'Split the document into parts.',
  })
  expect(await reader.read(NOTE)).toMatchObject({ format: 'markdown' })
})

it('survives a text with more lines than fit into the memory at once', async () => {
  const reader = aReader({ memoryMb: 64 })
  const lines = aDocument('lines.txt', 'x\n'.repeat(8_000_000))
  await expect(reader.read(lines)).rejects.toMatchObject({ code: 'too_large' })
  expect(await reader.read(NOTE)).toMatchObject({ format: 'markdown' })
})

it('does not take its own end for a lack of memory', async () => {
  const reader = aReader()
  const reading = reader.read(aPdf(400), { onPage: () => void reader.close() })
  await expect(reading).rejects.toThrow('The reader ended while it read big.pdf')
})

it('survives a process that fails after its answer, and reads the next in a new one', async () => {
  const script = tempFolder().write(
    'reader.cjs',
    `process.on('message', ({ name }) => {
      if (name === undefined) throw new Error('left behind')
      process.send({ type: 'read', document: { format: name } })
    })`,
  )
  const started: ChildProcess[] = []
  const reader = new DocumentProcess(() => {
    const child = fork(script, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    started.push(child)
    return child
  })
  onTestFinished(async () => reader.close())
  expect(await reader.read(aDocument('first', ''))).toEqual({ format: 'first' })
  const [first] = started
  if (!first) throw new Error('nothing was started')
  const ended = once(first, 'exit')
  first.send({})
  await ended
  expect(await reader.read(aDocument('second', ''))).toEqual({ format: 'second' })
  expect(started).toHaveLength(2)
})
