import { expect, it } from 'vitest'
import { readText } from './read-text.ts'

function aRequest(chunks: readonly string[]): Request {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk))
      controller.close()
    },
  })
  return new Request('http://x/', { method: 'POST', body, duplex: 'half' })
}

it('reads a body up to the limit, and refuses a larger one', async () => {
  expect(await readText(aRequest(['ab', 'cd']), 4)).toBe('abcd')
  expect(await readText(new Request('http://x/'), 4)).toBe('')
  await expect(readText(aRequest(['ab', 'cd', 'e']), 4)).rejects.toMatchObject({ status: 413 })
})
