import { expect, it } from 'vitest'
import { boundedLines } from './bounded-lines.ts'

async function* chunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text)
}

async function linesOf(source: AsyncIterable<Buffer>, longest?: number): Promise<string[]> {
  const lines: string[] = []
  for await (const line of boundedLines(source, longest)) lines.push(line)
  return lines
}

it('gives lines however the bytes are cut', async () => {
  expect(await linesOf(chunks('a\nb', 'c\r\n', '\nd'))).toEqual(['a', 'bc', '', 'd'])
  expect(await linesOf(chunks('ü'.repeat(3)))).toEqual(['üüü'])
  expect(await linesOf(chunks())).toEqual([])
})

it('refuses a line without an end before it has read all of it', async () => {
  let read = 0
  async function* endless() {
    for (;;) {
      read += 10
      yield Buffer.alloc(10, 'x')
    }
  }
  await expect(linesOf(endless(), 100)).rejects.toThrow('longer than 100 bytes')
  expect(read).toBe(110)
  expect(await linesOf(chunks('x'.repeat(100), '\n', 'y'.repeat(100)), 100)).toHaveLength(2)
})
