import { describe, expect, it } from 'vitest'
import { snippet } from './snippet.ts'

const lines = Array.from({ length: 40 }, (_, n) => (n === 30 ? 'here is the needle' : `line ${n}`))
const isNeedle = (word: string) => word === 'needle'

describe('snippet', () => {
  it('shows the lines that name what was asked, with their numbers in the file', () => {
    const found = snippet(lines.join('\n'), isNeedle, { startLine: 101, maxLines: 5 })
    expect(found.text).toContain('needle')
    expect(found.endLine - found.startLine).toBe(4)
    expect(found.startLine).toBe(127)
  })

  it('shows the beginning when nothing is named', () => {
    expect(snippet('one\ntwo\nthree', isNeedle, { maxLines: 2 })).toEqual({
      text: 'one\ntwo',
      startLine: 1,
      endLine: 2,
    })
  })
})
