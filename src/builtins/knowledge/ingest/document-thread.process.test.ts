import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { writePdf } from '../../../../test/support/write-pdf.ts'
import { startThread } from '../../../base/flow/start-thread.ts'
import type { Block } from '../documents/document.ts'
import type { ReadRequest } from './document-reader.ts'
import { DocumentThread } from './document-thread.ts'
import { ingestOptions } from './ingest-options.ts'

const options = ingestOptions.parse({})

function aThread({ memoryMb = 512, patienceMs = 60_000 } = {}): DocumentThread {
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb }
  const thread = new DocumentThread(
    () => startThread('builtins/knowledge/ingest/document-worker', { resourceLimits }),
    patienceMs,
  )
  onTestFinished(async () => thread.close())
  return thread
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

it('reads a document elsewhere: this thread has next to nothing to do', async () => {
  const thread = aThread()
  await thread.read(NOTE)
  const pages: string[] = []
  const before = performance.eventLoopUtilization()
  const { pageCount, chunks, format } = await thread.read(aPdf(150), {
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
  const thread = aThread()
  const stop = new AbortController()
  const reading = thread.read(aPdf(400), { signal: stop.signal, onPage: () => stop.abort() })
  await expect(reading).rejects.toThrow('aborted')
  expect(await thread.read(NOTE)).toMatchObject({ format: 'markdown' })
})

it('tells what is wrong with a document in its own words', async () => {
  await expect(aThread().read(aDocument('a.pdf', '%PDF-1.4 nothing'))).rejects.toMatchObject({
    name: 'DocumentError',
    code: 'malformed',
    suggestion: expect.stringContaining('PDF viewer'),
  })
})

it('gives up a document that takes too long', async () => {
  const nested = Array.from({ length: 1_500 }, (_, n) => `${' '.repeat(n)}- x`).join('\n')
  const reading = aThread({ patienceMs: 1_500 }).read(aDocument('nested.md', nested))
  await expect(reading).rejects.toThrow('nested.md was not read within 1.5 seconds')
})

it('survives a document that fills the memory', async () => {
  const thread = aThread({ memoryMb: 40 })
  const bomb = aDocument('bomb.html', '<p>a <b>bold</b> word</p>'.repeat(300_000))
  await expect(thread.read(bomb)).rejects.toMatchObject({
    code: 'too_large',
    suggestion: 'Split the document into parts.',
  })
  expect(await thread.read(NOTE)).toMatchObject({ format: 'markdown' })
})

it('survives a thread that fails after its answer, and reads the next in a new one', async () => {
  const script = `const { parentPort } = require('node:worker_threads')
    parentPort.on('message', ({ name }) => {
      if (name === undefined) throw new Error('left behind')
      parentPort.postMessage({ type: 'read', document: { format: name } })
    })`
  const started: Worker[] = []
  const thread = new DocumentThread(() => {
    const worker = new Worker(script, { eval: true })
    started.push(worker)
    return worker
  })
  onTestFinished(async () => thread.close())
  expect(await thread.read(aDocument('first', ''))).toEqual({ format: 'first' })
  const ended = new Promise((resolve) => started[0]?.on('exit', resolve))
  // A thread has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  started[0]?.postMessage({})
  await ended
  expect(await thread.read(aDocument('second', ''))).toEqual({ format: 'second' })
  expect(started).toHaveLength(2)
})
