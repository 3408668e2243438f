import { describe, expect, it } from 'vitest'
import { countTokens } from '../tokens.ts'
import { clipText } from './clip-text.ts'

const NOTE = /…\[(\d+) of (\d+) characters omitted; read_result handle r_1\]…/

function clipped(text: string, maxTokens: number) {
  const { text: shown, tokens } = clipText(text, {
    maxTokens,
    handle: 'r_1',
  })
  const [note = '', missing, total] = NOTE.exec(shown) ?? []
  const [head = '', tail = ''] = shown.split(note).map((part) => part.replaceAll(/^\n|\n$/g, ''))
  return { shown, tokens, head, tail, missing: Number(missing), total: Number(total) }
}

describe('a text of many lines', () => {
  const lines = Array.from({ length: 2000 }, (_, n) => `line ${n} of the log`)
  const text = lines.join('\n')

  it('shows whole lines of its head and its end, about three to one', () => {
    const { head, tail } = clipped(text, 400)
    const shownFirst = head.split('\n')
    const shownLast = tail.split('\n')
    expect(shownFirst).toEqual(lines.slice(0, shownFirst.length))
    expect(shownLast).toEqual(lines.slice(-shownLast.length))
    expect(head.length / tail.length).toBeGreaterThan(2)
    expect(head.length / tail.length).toBeLessThan(4)
  })

  it('says how much is missing', () => {
    const { head, tail, missing, total } = clipped(text, 400)
    expect(total).toBe(text.length)
    expect(missing).toBe(text.length - head.length - tail.length)
  })

  it.each([60, 100, 400, 1000])('uses nearly all of %d tokens, and no more', (maxTokens) => {
    const { shown, tokens } = clipped(text, maxTokens)
    expect(tokens).toBe(countTokens(shown))
    expect(tokens).toBeLessThanOrEqual(maxTokens)
    expect(tokens).toBeGreaterThan(maxTokens * 0.8)
  })

  it('is nothing but the note where there is no room for more', () => {
    expect(clipped(text, 1).shown).toBe(
      `…[${text.length} of ${text.length} characters omitted; read_result handle r_1]…`,
    )
  })
})

describe('a text of few lines', () => {
  it('is cut within a line rather than losing most of what fits', () => {
    const { head, tail } = clipped(`title\n${'word '.repeat(5000)}\nend`, 200)
    expect(head).toMatch(/^title\nword word/)
    expect(head.length).toBeGreaterThan(300)
    expect(tail).toMatch(/word word \nend$/)
    expect(tail.length).toBeGreaterThan(100)
  })

  it('is not cut within a character', () => {
    for (let maxTokens = 40; maxTokens < 48; maxTokens++)
      for (const start of ['', 'x'])
        expect(clipped(start + '😀'.repeat(200), maxTokens).shown).not.toMatch(/\p{Surrogate}/u)
  })
})
