import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBuiltinEmbedder } from '../embed/builtin-embedder.ts'
import { loadCodeIndex, saveCodeIndex } from '../persist/code-index-file.ts'
import { CodeIndex } from './code-index.ts'
import { VECTOR_DIMENSION } from './code-meaning.ts'

const model = createBuiltinEmbedder({ dimension: VECTOR_DIMENSION })

/** No file shares a word with the question; only what they are about differs. */
const FILES: Readonly<Record<string, readonly [names: string[], text: string]>> = {
  'src/alpha.ts': [['sendMail'], '// deliver an email message to the recipient over smtp'],
  'src/beta.ts': [['removeFolder'], '// delete the directory and everything below it on disk'],
  'src/gamma.ts': [['drawChart'], '// paint the axis and the bars of the histogram'],
}

function anIndex(options: ConstructorParameters<typeof CodeIndex>[0] = { model }): CodeIndex {
  const index = new CodeIndex(options)
  for (const [path, [definitions, text]] of Object.entries(FILES))
    index.set({ path, chunks: [{ startLine: 1, endLine: 1, text, definitions }] })
  return index
}

const first = (index: CodeIndex, query: string) => index.search(query)[0]?.path

describe('search by meaning', () => {
  it.each([
    ['post a letter', 'src/alpha.ts'],
    ['wipe files from storage', 'src/beta.ts'],
    ['show a graph', 'src/gamma.ts'],
  ])('finds what shares no word with "%s"', (query, path) => {
    expect(first(anIndex(), query)).toBe(path)
    expect(anIndex({}).search(query)).toEqual([])
  })

  it('scores what only its meaning brings in by how near it is, and finds nothing for nonsense', () => {
    const [hit] = anIndex().search('wipe files from storage')
    expect(hit?.score).toBeGreaterThan(0.1)
    expect(hit?.score).toBeLessThan(1)
    expect(anIndex().search('qqq zzz xxyyq')).toEqual([])
  })

  it.each(['train a neural network', 'translate a sentence into french'])(
    'finds nothing for "%s", although some file is the nearest',
    (query) => {
      expect(anIndex().search(query)).toEqual([])
    },
  )

  it('still finds the others after one file was changed many times', () => {
    const index = anIndex()
    const [definitions, text] = FILES['src/beta.ts'] ?? [[], '']
    for (let n = 0; n < 60; n++)
      index.set({
        path: 'src/delta.ts',
        chunks: [{ startLine: 1, endLine: 1, text: `${text} ${n}`, definitions }],
      })
    const found = index.search('wipe files from storage').map(({ path }) => path)
    expect(found).toEqual(expect.arrayContaining(['src/beta.ts', 'src/delta.ts']))
  })

  it('leaves a bare name to its letters', () => {
    const [hit] = anIndex().explain('sendMail')
    expect(hit).toMatchObject({ path: 'src/alpha.ts', features: { nearest: 0, called: 0 } })
    expect(anIndex().search('erasure')).toEqual([])
  })

  it('respects the filter, also for files that only their meaning brings in', () => {
    const found = anIndex().search('wipe files from storage', {
      accept: (path) => path !== 'src/beta.ts',
    })
    expect(found.map(({ path }) => path)).not.toContain('src/beta.ts')
  })

  it('follows changes of files, and the space that is reclaimed', () => {
    const index = anIndex()
    for (let n = 0; n < 1_500; n++)
      index.set({
        path: 'src/alpha.ts',
        chunks: [{ startLine: 1, endLine: 1, text: `// note ${n}`, definitions: [] }],
      })
    expect(first(index, 'wipe files from storage')).toBe('src/beta.ts')
    expect(first(index, 'show a graph')).toBe('src/gamma.ts')
    index.delete('src/beta.ts')
    expect(first(index, 'wipe files from storage')).not.toBe('src/beta.ts')
  })

  it('is saved and loaded with the index, and an index of another model is built again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'meaning-'))
    const file = join(folder, 'x.idx')
    try {
      const index = anIndex()
      index.delete('src/alpha.ts')
      await saveCodeIndex(file, index)
      const { index: loaded } = await loadCodeIndex(file, { model })
      for (const query of ['wipe files from storage', 'show a graph'])
        expect(loaded.search(query)).toEqual(index.search(query))
      const other = { identity: 'another', embedNow: (text: string) => model.embedNow(text) }
      await expect(loadCodeIndex(file, { model: other })).rejects.toThrow(
        /vectors of portolan-static/,
      )
      await saveCodeIndex(file, anIndex({}))
      await expect(loadCodeIndex(file, { model })).rejects.toThrow(/vectors of no model/)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
