import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createCapture } from './capture.ts'

describe('what is kept of calls', () => {
  it('is nothing before it is turned on, and nothing after it is turned off', () => {
    const capture = createCapture()
    expect(capture.status).toEqual({ on: false, calls: 0, bytes: 0 })
    capture.turn(true)
    capture.keep('a', { text: 'hello' }, { content: [] })
    expect(capture.find('a')).toEqual({
      arguments: '{"text":"hello"}',
      result: '{"content":[]}',
      isCut: false,
    })
    expect(capture.find('b')).toBeUndefined()
    capture.turn(false)
    expect(capture.find('a')).toBeUndefined()
    expect(capture.status).toEqual({ on: false, calls: 0, bytes: 0 })
  })

  it('is bounded in calls, in bytes, and in bytes of each', () => {
    const capture = createCapture({ mostCalls: 3, mostBytes: 400, mostBytesEach: 50 })
    capture.turn(true)
    for (const id of ['a', 'b', 'c', 'd']) capture.keep(id, { id }, undefined)
    expect(['a', 'b', 'c', 'd'].map((id) => capture.find(id) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
    ])
    capture.keep('long', {}, { text: 'x'.repeat(1_000) })
    expect(capture.find('long')).toMatchObject({ isCut: true })
    expect(capture.find('long')?.result).toHaveLength(50)
    for (let n = 0; n < 50; n++) capture.keep(`n${n}`, { text: 'y'.repeat(40) }, { n })
    expect(capture.status.bytes).toBeLessThanOrEqual(400)
    expect(capture.find('n49')).toBeDefined()
  })

  it('holds no more memory than it says, however long the results were', () => {
    const capture = createCapture({ mostCalls: 100, mostBytes: 1 << 20, mostBytesEach: 1_024 })
    capture.turn(true)
    setFlagsFromString('--expose-gc')
    const collectGarbage: unknown = runInNewContext('gc')
    const heapBytes = () => {
      if (typeof collectGarbage === 'function') collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = heapBytes()
    const text = 'x'.repeat(1 << 20)
    for (let n = 0; n < 64; n++) capture.keep(`n${n}`, {}, { n, text })
    expect(heapBytes() - before).toBeLessThan(16 << 20)
    expect(capture.status.calls).toBe(64)
  })
})
