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

  it('takes the end of a line with a carriage return, and only that one, off it', () => {
    const text = 'event: ping\r\nid: 1\r\ndata: \rone\r\n\r\n'
    expect(parse([Buffer.from(text)])).toEqual([{ event: 'ping', data: '\rone', id: '1' }])
  })

  it('passes over comments and fields it does not know, with a value or without', () => {
    const text = ':data: no\n: data: no\nother: x\nother\n data: no\ndata: yes\n\n'
    expect(parse([Buffer.from(text)])).toEqual([{ event: 'message', data: 'yes' }])
  })

  it('tells how long to wait before the stream is opened again, where that is a number', () => {
    const waits = (retry: string) => parse([Buffer.from(`retry: ${retry}\ndata: x\n\n`)])
    expect(waits('1500')).toEqual([{ event: 'message', data: 'x', retryMs: 1500 }])
    for (const wrong of ['', '-5', '1.5', '5s', '1234567890', 'soon'])
      expect(waits(wrong)).toEqual([{ event: 'message', data: 'x' }])
    const [, later] = parse([Buffer.from('retry: 5\ndata: x\n\nid: 7\ndata: y\n\n')])
    expect(later).toEqual({ event: 'message', data: 'y', id: '7', retryMs: 5 })
  })

  it('gives an event its own name only', () => {
    const text = 'event: endpoint\ndata: /x\n\ndata: y\n\nevent: lost\n\ndata: z\n\n'
    expect(parse([Buffer.from(text)]).map(({ event }) => event)).toEqual([
      'endpoint',
      'message',
      'message',
    ])
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
