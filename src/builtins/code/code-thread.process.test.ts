import { Worker } from 'node:worker_threads'
import { afterEach, expect, it } from 'vitest'
import { aContext } from '../../../test/support/service-context.ts'
import { CodeThread } from './code-thread.ts'

/** Answers `echo` at once and `wait` when it is given up; `block` keeps its thread for ever. */
const WORKER = `
const { parentPort: port, threadId } = require('node:worker_threads')
port.on('message', ({ type, id, method }) => {
  if (type === 'close') return ['closing', 'closed'].forEach((said) => port.postMessage({ type: said }))
  if (type === 'abort') port.postMessage({ type: 'aborted', id })
  if (method === 'block') for (;;);
  if (method === 'echo') port.postMessage({ type: 'result', id, result: { threadId } })
})`

const threads: CodeThread[] = []
afterEach(async () => {
  await Promise.all(threads.splice(0).map(async (thread) => thread.close()))
})

function aThread(graceMs: number): CodeThread {
  const thread = new CodeThread(
    () => new Worker(WORKER, { eval: true }),
    () => undefined,
    graceMs,
  )
  threads.push(thread)
  return thread
}

it('replaces a thread that hears nothing when a call has run out of time', async () => {
  const thread = aThread(200)
  const { threadId } = await thread.call('echo', {}, aContext())
  const deadline = new AbortController()
  const blocked = thread.call('block', {}, aContext({ signal: deadline.signal }))
  const behind = thread.call('echo', {}, aContext())
  setTimeout(() => deadline.abort(), 50)
  await expect(blocked).rejects.toThrow('was restarted. Ask again.')
  await expect(behind).rejects.toThrow('was restarted. Ask again.')
  const again = await Promise.all([1, 2].map(async () => thread.call('echo', {}, aContext())))
  expect(again[0]?.['threadId']).not.toBe(threadId)
  expect(again[1]).toEqual(again[0])
  // The end of the old thread, which comes later, ends no call of the new one.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await thread.call('echo', {}, aContext())).toEqual(again[0])
})

it('keeps a thread that still hears, however long its calls take', async () => {
  const thread = aThread(1000)
  const { threadId } = await thread.call('echo', {}, aContext())
  const deadline = new AbortController()
  const slow = thread.call('wait', {}, aContext({ signal: deadline.signal }))
  slow.catch(() => undefined)
  await thread.call('echo', {}, aContext())
  deadline.abort()
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(await thread.call('echo', {}, aContext())).toEqual({ threadId })
})

it('does not wait long for a thread that cannot answer when the process ends', async () => {
  const thread = aThread(60_000)
  const blocked = thread.call('block', {}, aContext())
  blocked.catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const started = performance.now()
  await thread.close()
  expect(performance.now() - started).toBeLessThan(30_000)
  await expect(blocked).rejects.toThrow('The code server ended')
})

it('ends with a thread that does not answer', async () => {
  const thread = aThread(200)
  const blocked = thread.call('block', {}, aContext())
  blocked.catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await thread.close()
  await expect(blocked).rejects.toThrow('The code server ended')
})
