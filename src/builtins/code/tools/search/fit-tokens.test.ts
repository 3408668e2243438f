import { describe, expect, it } from 'vitest'
import { countTokens } from '../../../../shaping/tokens.ts'
import type { CodeResult } from '../../engine/search/search-code.ts'
import { estimateTokens, fitTokens } from './fit-tokens.ts'

function aResult(name: string, more: Partial<CodeResult> = {}): CodeResult {
  return {
    file_path: `src/${name}.ts`,
    start_line: 1,
    end_line: 20,
    score: 1,
    content: `function ${name}() {\n${'  some more code of it\n'.repeat(18)}}`,
    block_type: 'function',
    hierarchy: name,
    language_id: 'typescript',
    symbol_type: 'function',
    symbol_name: name,
    symbol_signature: `function ${name}()`,
    match_type: 'keyword',
    ...more,
  }
}

const surrounded: Partial<CodeResult> = {
  context_after: 'x\n'.repeat(400),
  dependents: [{ source_file: 'src/other.ts', dep_type: 'import' }],
}
const names = ['one', 'two', 'three', 'four', 'five', 'six']
const results = names.map((name) => aResult(name))
const paths = (kept: readonly { readonly file_path: string }[]) =>
  kept.map(({ file_path }) => file_path)

describe('fitTokens', () => {
  it('leaves results alone that fit, or have no limit', () => {
    expect(fitTokens(results, null).kept).toBe(results)
    expect(fitTokens(results, 100_000)).toEqual({ kept: results, stubs: 0, leftOut: 0 })
  })

  it('gives up what surrounds a result before its text, and keeps it where there is room', () => {
    const wide = names.map((name) => aResult(name, surrounded))
    const { kept } = fitTokens(wide, 1_000)
    expect(kept[0]).toBe(wide[0])
    expect(kept[1]).toEqual(results[1])
    expect(paths(kept)).toEqual(paths(results))
  })

  it('shows the best with their text and the others in one line, and drops none', () => {
    const { kept, stubs, leftOut } = fitTokens(results, 600)
    expect(paths(kept)).toEqual(paths(results))
    expect(leftOut).toBe(0)
    expect(kept[0]).toBe(results[0])
    expect(stubs).toBeGreaterThan(2)
    expect(kept.at(-1)).toEqual({
      file_path: 'src/six.ts',
      start_line: 1,
      end_line: 20,
      score: 1,
      content: 'function six()',
      symbol_name: 'six',
      is_stub: true,
    })
    expect(estimateTokens(kept)).toBeLessThanOrEqual(610)
  })

  it('drops results only when not even their lines fit, and keeps one in any case', () => {
    const { kept, leftOut } = fitTokens(results, 100)
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length + leftOut).toBe(results.length)
    expect(leftOut).toBeGreaterThan(0)
    expect(fitTokens(results, 1).kept).toHaveLength(1)
  })

  it('counts a character of another script as a token, and still shows what fits', () => {
    const content = '// 全文検索の索引を更新する\n'.repeat(40)
    const { kept } = fitTokens([aResult('long', { content })], 400)
    expect(countTokens(JSON.stringify(kept))).toBeLessThanOrEqual(440)
    expect(kept[0]?.content).toContain('更新する\n// 全文検索')
  })

  it('cuts the last text at the end of a line', () => {
    const { kept } = fitTokens([aResult('long', { content: 'a line of code\n'.repeat(200) })], 300)
    expect(kept[0]?.content).toMatch(/^(a line of code\n)+… \(cut to fit max_tokens\)$/)
  })
})
