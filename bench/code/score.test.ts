import { describe, expect, it } from 'vitest'
import { ndcg10 } from './score.ts'

const chunk = (path: string, startLine = 1, endLine = 10) => ({ path, startLine, endLine })

describe('ndcg10', () => {
  it('is 1 for the only target at the top, and falls with its rank', () => {
    expect(ndcg10([chunk('a'), chunk('b')], [{ path: 'a' }])).toBe(1)
    expect(ndcg10([chunk('b'), chunk('a')], [{ path: 'a' }])).toBeCloseTo(1 / Math.log2(3))
    expect(ndcg10([chunk('b')], [{ path: 'a' }])).toBe(0)
  })

  it('wants the chunk to overlap the lines of the target', () => {
    expect(ndcg10([chunk('a', 1, 9)], [{ path: 'a', start: 10, end: 12 }])).toBe(0)
    expect(ndcg10([chunk('a', 1, 10)], [{ path: 'a', start: 10, end: 12 }])).toBe(1)
  })

  it('counts two targets that one chunk covers once', () => {
    const both = [
      { path: 'a', start: 1, end: 2 },
      { path: 'a', start: 3, end: 4 },
    ]
    expect(ndcg10([chunk('a')], both)).toBeCloseTo(1 / (1 + 1 / Math.log2(3)))
  })

  it('looks at ten results and no more', () => {
    const results = [...Array.from({ length: 10 }, (_, n) => chunk(`x${n}`)), chunk('a')]
    expect(ndcg10(results, [{ path: 'a' }])).toBe(0)
  })

  it('matches a path by its end, at a folder', () => {
    expect(ndcg10([chunk('src/a.ts')], [{ path: 'a.ts' }])).toBe(1)
    expect(ndcg10([chunk('src/ba.ts')], [{ path: 'a.ts' }])).toBe(0)
  })
})
