import { describe, expect, it } from 'vitest'
import { isObject } from '../../base/json/json.ts'
import { countTokens } from '../tokens.ts'
import { textOf } from './blocks.ts'
import type { SummaryRules } from './rules.ts'
import { shapeContent, clipText } from './shape-content.ts'

const textBlock = (of: string) => ({ type: 'text', text: of })

function shaped(blocks: readonly unknown[], maxTokens: number, rules?: SummaryRules) {
  return shapeContent(blocks, {
    maxTokens,
    handle: 'r_1',
    interest: { terms: new Set(), required: new Set() },
    rules,
  })
}

const tokensOf = (block: unknown) => countTokens(textOf(block) ?? '')

function parsed(block: unknown) {
  const value: unknown = JSON.parse(textOf(block) ?? '')
  return isObject(value) ? value : {}
}

describe('a budget for several blocks', () => {
  it('leaves small ones as they are, and what they do not need to the others', () => {
    const [small, large, last] = [
      textBlock('a note'),
      textBlock('word '.repeat(2000)),
      textBlock('the end'),
    ]
    const [first, second, third, ...more] = shaped([small, large, last], 300)
    expect([first, third]).toEqual([small, last])
    expect(textOf(second)).toMatch(/^word word[^]* characters omitted; read_result handle r_1\]/)
    expect(tokensOf(second)).toBeGreaterThan(220)
    expect(tokensOf(second)).toBeLessThanOrEqual(300 - tokensOf(first) - tokensOf(third))
    expect(more).toEqual([])
  })

  it('is divided evenly among large ones', () => {
    const blocks = shaped([textBlock('one '.repeat(900)), textBlock('two '.repeat(900))], 400)
    for (const block of blocks) {
      expect(tokensOf(block)).toBeGreaterThan(150)
      expect(tokensOf(block)).toBeLessThanOrEqual(200)
    }
    expect(blocks.map((block) => textOf(block)?.slice(0, 3))).toEqual(['one', 'two'])
  })

  it('that is too small for a share each is spent on the smallest ones, with a note on the rest', () => {
    const long = Array.from({ length: 9 }, () => textBlock('word '.repeat(300)))
    const short = [textBlock('first'), textBlock('second')]
    const blocks = shaped([...long, ...short], 200)
    expect(blocks.slice(-3)).toEqual([
      ...short,
      textBlock('[8 of 11 blocks left out; read_result handle r_1]'),
    ])
    expect(textOf(blocks[0])).toMatch(/^word word/)
    expect(blocks.reduce((sum: number, block) => sum + tokensOf(block), 0)).toBeLessThanOrEqual(200)
  })

  it('names an image that does not fit, and passes one that does', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
    expect(shaped([image, textBlock('a chart')], 4000)).toEqual([image, textBlock('a chart')])
    expect(shaped([textBlock('a chart'), image], 1000)).toEqual([
      textBlock('a chart'),
      textBlock('[image/png left out; read_result handle r_1, select "[1]"]'),
    ])
  })
})

describe('a block of JSON', () => {
  const rows = Array.from({ length: 40 }, (_, id) => ({
    id,
    sire: `s${id}`,
    about: 'x y '.repeat(9),
  }))

  it('stays JSON, and says how large it was', () => {
    const [block] = shaped([textBlock(JSON.stringify(rows))], 600)
    expect(parsed(block)).toMatchObject({
      _summarized: true,
      _handle: 'r_1',
      _original_token_count: countTokens(JSON.stringify(rows)),
    })
    expect(parsed(block)).not.toHaveProperty('_original_token_count_estimated')
  })

  it('is summarised by the rules of its tool', () => {
    const [block] = shaped([textBlock(JSON.stringify({ rows }))], 600, { keep: ['sire'] })
    expect(parsed(block)['_omitted']).toEqual(['rows[].id', 'rows[].about'])
    expect(JSON.stringify(parsed(block)['rows'])).toContain('"s39"')
  })

  it('in an embedded file stays in that file', () => {
    const resource = { uri: 'file:///rows.json', text: JSON.stringify(rows) }
    const [block] = shaped([{ type: 'resource', resource }], 600)
    expect(block).toMatchObject({ type: 'resource', resource: { uri: 'file:///rows.json' } })
    expect(parsed(block)).toMatchObject({ _handle: 'r_1' })
  })
})

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
