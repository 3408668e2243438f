import { expect, it } from 'vitest'
import type { CodeResult } from '../../engine/search/search-code.ts'
import { joinResults } from './join-results.ts'

function at(file_path: string, score: number): CodeResult {
  return {
    file_path,
    start_line: 1,
    end_line: 2,
    score,
    content: '',
    block_type: 'chunk',
    hierarchy: '',
    language_id: 'typescript',
    symbol_type: null,
    symbol_name: null,
    symbol_signature: null,
    match_type: 'keyword',
  }
}

it('takes each result by its best score, and keeps the first of each wording', () => {
  const own = [at('vague', 0.2), at('shared', 0.1)]
  const reworded = [at('right', 0.9), at('next', 0.8), at('shared', 0.7)]
  const files = (limit: number) =>
    joinResults([own, reworded], limit).map(({ file_path, score }) => [file_path, score])
  expect(files(3)).toEqual([
    ['right', 0.9],
    ['next', 0.8],
    ['vague', 0.2],
  ])
  expect(files(9)).toContainEqual(['shared', 0.7])
  expect(files(1)).toEqual([['right', 0.9]])
})
