import { describe, expect, it } from 'vitest'
import { Canceller, onAbort, toAbortSignal } from './signal.ts'

describe('Canceller', () => {
  it('calls its listeners once, in order, with the reason at hand', () => {
    const canceller = new Canceller()
    const heard: unknown[] = []
    const removed = () => heard.push('removed')
    canceller.addEventListener('abort', () => heard.push(canceller.reason))
    canceller.addEventListener('abort', removed)
    canceller.addEventListener('abort', () => heard.push(canceller.aborted))
    canceller.removeEventListener('abort', removed)
    canceller.abort('why')
    canceller.abort('again')
    expect(heard).toEqual(['why', true])
    expect(canceller.reason).toBe('why')
  })

  it('bears listeners that come and go while it aborts', () => {
    const canceller = new Canceller()
    const heard: string[] = []
    const second = () => heard.push('second')
    canceller.addEventListener('abort', () => {
      canceller.removeEventListener('abort', second)
      canceller.addEventListener('abort', () => heard.push('late'))
    })
    canceller.addEventListener('abort', second)
    canceller.abort()
    expect(heard).toEqual(['second'])
  })
})

describe('onAbort', () => {
  it('calls a listener when the signal aborts, at once if it has, and never once removed', () => {
    const canceller = new Canceller()
    const heard: string[] = []
    onAbort(canceller, () => heard.push('before'))
    onAbort(canceller, () => heard.push('removed'))()
    expect(heard).toEqual([])
    canceller.abort()
    onAbort(canceller, () => heard.push('after'))
    expect(heard).toEqual(['before', 'after'])
  })
})

describe('toAbortSignal', () => {
  it('aborts with it, before or after', () => {
    const canceller = new Canceller()
    const before = toAbortSignal(canceller)
    expect(before.aborted).toBe(false)
    canceller.abort('why')
    expect([before.aborted, before.reason]).toEqual([true, 'why'])
    expect(toAbortSignal(canceller).reason).toBe('why')
  })

  it('gives back a signal that is one already', () => {
    const { signal } = new AbortController()
    expect(toAbortSignal(signal)).toBe(signal)
  })
})
