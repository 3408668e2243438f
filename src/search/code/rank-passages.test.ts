import { describe, expect, it } from 'vitest'
import { createBuiltinEmbedder } from '../embed/builtin-embedder.ts'
import { CodeIndex } from './code-index.ts'
import { VECTOR_DIMENSION } from './code-meaning.ts'

const model = createBuiltinEmbedder({ dimension: VECTOR_DIMENSION })

const comment = (text: string, count: number) =>
  Array.from({ length: count }, (_, n) => `// ${text} ${n}`)

/** One chunk that is about something else for the most part, and one that is a little about the question throughout. */
const TEXTS: Readonly<Record<string, string>> = {
  'src/one.ts': [
    ...comment('paint the axis and the bars of the histogram with colours', 24),
    ...comment('delete the directory and everything below it', 8),
  ].join('\n'),
  'src/two.ts': comment('show the size of each volume on the disk', 32).join('\n'),
}

function anIndex(): CodeIndex {
  const index = new CodeIndex({ model })
  for (const [path, text] of Object.entries(TEXTS))
    index.set({ path, chunks: [{ startLine: 1, endLine: 32, text, definitions: [] }] })
  return index
}

const passagesOf = (index: CodeIndex, query: string) =>
  Object.fromEntries(index.explain(query).map(({ path, features }) => [path, features.passage]))

describe('the best lines of a file', () => {
  it('count for the file, however little of it they are', () => {
    const index = anIndex()
    index.useTexts((path) => TEXTS[path])
    const passages = passagesOf(index, 'remove files')
    expect(passages['src/one.ts']).toBeGreaterThan(0.5)
    expect(passages['src/two.ts'] ?? 0).toBeLessThan(0.2)
  })

  it('do not count where the text cannot be read, or only a name was asked for', () => {
    const index = anIndex()
    expect(passagesOf(index, 'remove the directory')['src/one.ts']).toBe(0)
    index.useTexts((path) => TEXTS[path])
    expect(passagesOf(index, 'directory')['src/one.ts']).toBe(0)
    const unreadable = anIndex()
    unreadable.useTexts(() => undefined)
    expect(passagesOf(unreadable, 'remove the directory')['src/one.ts']).toBe(0)
  })

  it('count again once a text that could not be read can be read', () => {
    const index = anIndex()
    index.useTexts(() => undefined)
    expect(passagesOf(index, 'remove the directory')['src/one.ts']).toBe(0)
    index.useTexts((path) => TEXTS[path])
    expect(passagesOf(index, 'remove the directory')['src/one.ts']).toBeGreaterThan(0.5)
  })

  it('count word by word too, where the words of the question stand far apart', () => {
    const lines = comment('paint the axis and the bars of the histogram with colours', 24)
    const near = [...lines.slice(0, 12), '// erase', ...lines.slice(12), '// folder'].join('\n')
    const texts: Readonly<Record<string, string>> = { 'a.ts': near, 'b.ts': lines.join('\n') }
    const index = new CodeIndex({ model })
    for (const [path, text] of Object.entries(texts))
      index.set({ path, chunks: [{ startLine: 1, endLine: 26, text, definitions: [] }] })
    const wordwise = () =>
      new Map(
        index
          .explain('paint a deleted directory')
          .map(({ path, features }) => [path, features.wordwise]),
      )
    expect([...wordwise().values()]).toEqual([0, 0])
    index.useTexts((path) => texts[path])
    const found = wordwise()
    expect(found.get('a.ts')).toBeGreaterThan((found.get('b.ts') ?? 1) + 0.1)
  })

  it('are looked for in the first files alone, and read once', () => {
    const index = new CodeIndex({ model })
    for (let n = 0; n < 60; n++)
      index.set({
        path: `src/part${n}.ts`,
        chunks: [{ startLine: 1, endLine: 1, text: 'delete the directory', definitions: [] }],
      })
    const read = new Set<string>()
    index.useTexts((path) => {
      read.add(path)
      return 'delete the directory'
    })
    expect(index.search('delete the directory', { limit: 50 })).toHaveLength(50)
    expect(read.size).toBe(15)
    read.clear()
    index.search('delete the directory')
    expect(read.size).toBe(0)
  })
})
