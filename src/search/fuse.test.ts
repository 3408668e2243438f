import { describe, expect, it } from 'vitest'
import { fuse } from './fuse.ts'

const hits = (...pairs: [id: string, score: number][]) =>
  pairs.map(([id, score]) => ({ id, score }))

const rankings = (weight: number) => [
  { name: 'words', hits: hits(['a', 0.9], ['b', 0.2]) },
  { name: 'meaning', weight, hits: hits(['b', 0.9], ['a', 0.2]) },
]

describe('fuse', () => {
  it('puts what both rankings found before what one found', () => {
    const fused = fuse(
      [
        { name: 'words', hits: hits(['a', 0.9], ['both', 0.8]) },
        { name: 'meaning', hits: hits(['b', 0.9], ['both', 0.8]) },
      ],
      3,
    )
    expect(fused.map(({ id }) => id)).toEqual(['both', 'a', 'b'])
    expect(fused[0]?.from).toEqual({ words: 0.8, meaning: 0.8 })
  })

  it('keeps the scale: what every ranking puts first has the mean of its scores', () => {
    const [first] = fuse(
      [
        { name: 'words', hits: hits(['a', 0.4]) },
        { name: 'meaning', hits: hits(['a', 0.8]) },
      ],
      1,
    )
    expect(first?.score).toBeCloseTo(0.6)
  })

  it('stays low when nothing good was found, although something is always first', () => {
    expect(fuse([{ name: 'words', hits: hits(['a', 0.05]) }], 1)[0]?.score).toBeCloseTo(0.05)
  })

  it('lets a heavier ranking decide', () => {
    expect(fuse(rankings(3), 1)[0]?.id).toBe('b')
    expect(fuse(rankings(0.3), 1)[0]?.id).toBe('a')
  })

  it('is empty when every ranking is', () => {
    expect(fuse([{ name: 'words', hits: [] }], 5)).toEqual([])
  })
})
