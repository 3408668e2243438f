import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scanFile } from '../../builtins/code/scan/scan-file.ts'
import { CodeIndex } from './code-index.ts'

/** Real source files with texts in some fifty languages, which we did not write. */
const FOLDER = join(import.meta.dirname, '../../../node_modules/zod/v4/locales')
const FILES = new Map(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
)
/** Every so many words; all of them would take a minute. */
const SAMPLE = 5

function anIndex(): CodeIndex {
  const index = new CodeIndex()
  for (const [path, text] of FILES) index.set(scanFile(path, text).code)
  return index
}

const wordsOf = (text: string) => [...new Set(text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [])]

describe('every word of a real file finds the file', () => {
  const index = anIndex()

  it.each([...FILES.keys()])('%s', (name) => {
    const words = wordsOf(FILES.get(name) ?? '').filter((_, at) => at % SAMPLE === 0)
    const missed = words.filter(
      (word) => !index.search(word, { limit: 1_000 }).some(({ path }) => path === name),
    )
    expect(missed).toEqual([])
    expect(words.length).toBeGreaterThan(0)
  })

  it.each([
    ['Cyrillic', /\p{Script=Cyrillic}/u],
    ['Greek', /\p{Script=Greek}/u],
    ['Han', /\p{Script=Han}/u],
    ['Hangul', /\p{Script=Hangul}/u],
    ['Hiragana', /\p{Script=Hiragana}/u],
    ['Latin with marks', /[äéőł]/u],
  ])('has files in %s', (_, script) => {
    expect([...FILES.values()].some((text) => script.test(text))).toBe(true)
  })

  it('finds a file by a word that says nothing in a sentence', () => {
    expect(
      index.search('the', { limit: 1_000 }).length + index.search('is').length,
    ).toBeGreaterThan(0)
    expect(index.search('zzyzxqq')).toEqual([])
  })
})
