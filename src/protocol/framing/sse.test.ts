import { describe, expect, it } from 'vitest'
import { type SseEvent, SseParser, encodeEvent } from './sse.ts'

function parse(chunks: readonly Buffer[]): SseEvent[] {
  const events: SseEvent[] = []
  const parser = new SseParser((event) => events.push(event))
  for (const chunk of chunks) parser.push(chunk)
  return events
}

describe('SseParser', () => {
  it('reads events however the bytes are cut', () => {
    const stream = Buffer.from(
      ': hello\r\n\r\nevent: endpoint\ndata: /é😀\n\nid: 7\ndata: one\ndata:two\n\ndata\n\nretry: 5\n\ndata: lost',
    )
    const expected = [
      { event: 'endpoint', data: '/é😀' },
      { event: 'message', data: 'one\ntwo', id: '7' },
      { event: 'message', data: '', id: '7' },
    ]
    for (let size = 1; size <= stream.length; size += 1) {
      const chunks = []
      for (let at = 0; at < stream.length; at += size) chunks.push(stream.subarray(at, at + size))
      expect(parse(chunks)).toEqual(expected)
    }
  })

  it('reads back what is written', () => {
    const data = '{"text":"line\\nbreak"}'
    expect(parse([Buffer.from(encodeEvent(data))])).toEqual([{ event: 'message', data }])
    expect(parse([Buffer.from(encodeEvent('/x', 'endpoint'))])).toMatchObject([
      { event: 'endpoint' },
    ])
  })

  it('needs linear time for one huge event', () => {
    const chunk = Buffer.alloc(4096, 'x')
    const begun = performance.now()
    const [event] = parse([
      Buffer.from('data: '),
      ...Array.from({ length: 4000 }, () => chunk),
      Buffer.from('\n\n'),
    ])
    expect(event?.data).toHaveLength(4000 * 4096)
    expect(performance.now() - begun).toBeLessThan(10_000)
  })
})
