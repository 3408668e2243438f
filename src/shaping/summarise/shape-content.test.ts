import { describe, expect, it } from 'vitest'
import { isObject } from '../../base/json/json.ts'
import { countTokens } from '../tokens.ts'
import { textOf } from './blocks.ts'
import type { SummaryRules } from './rules.ts'
import { shapeContent } from './shape-content.ts'

const text = (of: string) => ({ type: 'text', text: of })

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
    const [small, large, last] = [text('a note'), text('word '.repeat(2000)), text('the end')]
    const [first, second, third, ...more] = shaped([small, large, last], 300)
    expect([first, third]).toEqual([small, last])
    expect(textOf(second)).toMatch(/^word word[^]* characters omitted; read_result handle r_1\]/)
    expect(tokensOf(second)).toBeGreaterThan(220)
    expect(tokensOf(second)).toBeLessThanOrEqual(300 - tokensOf(first) - tokensOf(third))
    expect(more).toEqual([])
  })

  it('is divided evenly among large ones', () => {
    const blocks = shaped([text('one '.repeat(900)), text('two '.repeat(900))], 400)
    for (const block of blocks) {
      expect(tokensOf(block)).toBeGreaterThan(150)
      expect(tokensOf(block)).toBeLessThanOrEqual(200)
    }
    expect(blocks.map((block) => textOf(block)?.slice(0, 3))).toEqual(['one', 'two'])
  })

  it('that is too small for a share each is spent on the smallest ones, with a note on the rest', () => {
    const long = Array.from({ length: 9 }, () => text('word '.repeat(300)))
    const short = [text('first'), text('second')]
    const blocks = shaped([...long, ...short], 200)
    expect(blocks.slice(-3)).toEqual([
      ...short,
      text('[8 of 11 blocks left out; read_result handle r_1]'),
    ])
    expect(textOf(blocks[0])).toMatch(/^word word/)
    expect(blocks.reduce((sum: number, block) => sum + tokensOf(block), 0)).toBeLessThanOrEqual(200)
  })

  it('names an image that does not fit, and passes one that does', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
    expect(shaped([image, text('a chart')], 4000)).toEqual([image, text('a chart')])
    expect(shaped([text('a chart'), image], 1000)).toEqual([
      text('a chart'),
      text('[image/png left out; read_result handle r_1, select "[1]"]'),
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
    const [block] = shaped([text(JSON.stringify(rows))], 600)
    expect(parsed(block)).toMatchObject({
      _summarized: true,
      _handle: 'r_1',
      _original_token_count: countTokens(JSON.stringify(rows)),
    })
    expect(parsed(block)).not.toHaveProperty('_original_token_count_estimated')
  })

  it('is summarised by the rules of its tool', () => {
    const [block] = shaped([text(JSON.stringify({ rows }))], 600, { keep: ['sire'] })
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
