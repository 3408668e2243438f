import { describe, expect, it } from 'vitest'
import { LineFramer, type Oversize, envelopeOf } from './line-framer.ts'

function frame(chunks: readonly (string | Buffer)[], maxBytes = 1000) {
  const lines: string[] = []
  const oversize: Oversize[] = []
  const framer = new LineFramer((line) => lines.push(line), {
    maxBytes,
    onOversize: (one) => oversize.push(one),
  })
  for (const chunk of chunks) framer.push(Buffer.from(chunk))
  return { lines, oversize }
}

function envelope(message: object) {
  const [one] = frame([`${JSON.stringify(message)}\n`]).oversize
  return one && envelopeOf(one)
}

describe('LineFramer', () => {
  it('finds the same lines however the bytes are cut', () => {
    const bytes = Buffer.from('{"a":"é😀"}\n\r\n{"b":2}\r\nrest')
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      expect(frame(chunks).lines).toEqual(['{"a":"é😀"}', '{"b":2}'])
    }
  })

  it('skips a line over the limit, tells its ends, and goes on', () => {
    const long = `{"id":7,"x":"${'y'.repeat(3000)}"}`
    const { lines, oversize } = frame(['one\n', long.slice(0, 900), long.slice(900), '\ntwo\n'])
    expect(lines).toEqual(['one', 'two'])
    expect(oversize).toMatchObject([{ bytes: long.length }])
    expect(oversize[0]?.head.startsWith('{"id":7')).toBe(true)
    expect(oversize[0]?.tail.endsWith('y"}')).toBe(true)
  })

  it('finds the id of a message, but none of its content', () => {
    const big = 'y'.repeat(3000)
    const params = { id: 5, big, inner: { id: 6 } }
    const request = { jsonrpc: '2.0', method: 'tools/call', params }
    for (const id of [7, 'seven']) {
      expect(envelope({ id, ...request })).toEqual({ id, isAnswer: false })
      expect(envelope({ ...request, id })).toEqual({ id, isAnswer: false })
      expect(envelope({ params, id, method: 'x', jsonrpc: '2.0' })?.id).toBe(id)
      expect(envelope({ result: params, jsonrpc: '2.0', id })).toEqual({ id, isAnswer: true })
      expect(envelope({ jsonrpc: '2.0', id, result: params })).toEqual({ id, isAnswer: true })
    }
    expect(envelope(request)).toEqual({ id: undefined, isAnswer: false })
    expect(envelope({ id: 'a"\\b', ...request })?.id).toBeUndefined()
  })

  it('takes a line of exactly the limit', () => {
    expect(frame(['12345\n'], 5).lines).toEqual(['12345'])
    expect(frame(['123456\n'], 5).lines).toEqual([])
  })

  it('needs linear time for a huge line in small chunks', () => {
    const chunk = Buffer.alloc(1024, 'x')
    const took = (chunks: number) => {
      const begun = performance.now()
      const { lines } = frame(
        [...Array.from({ length: chunks }, () => chunk), '\n'],
        Number.MAX_SAFE_INTEGER,
      )
      expect(lines[0]).toHaveLength(chunks * 1024)
      return performance.now() - begun
    }
    took(1000)
    expect(took(16_000)).toBeLessThan(10_000)
  })
})
