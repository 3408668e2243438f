import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadCodeIndex, saveCodeIndex } from '../persist/code-index-file.ts'
import type { CodeChunk, CodeFile } from './code-file.ts'
import { CodeIndex } from './code-index.ts'

function aChunk(text: string, chunk: Partial<CodeChunk> = {}): CodeChunk {
  return { startLine: 1, endLine: text.split('\n').length, text, definitions: [], ...chunk }
}

function aFile(path: string, ...chunks: CodeChunk[]): CodeFile {
  return { path, chunks }
}

function anIndex(...files: CodeFile[]): CodeIndex {
  const index = new CodeIndex()
  for (const file of files) index.set(file)
  return index
}

const paths = (index: CodeIndex, query: string) => index.search(query).map(({ path }) => path)

describe('CodeIndex', () => {
  it('puts the definition of a symbol before its uses, however often they name it', () => {
    const index = anIndex(
      aFile('src/caller.ts', aChunk('parseBody(1)\nparseBody(2)\nparseBody(3)\nparseBody(4)')),
      aFile('src/parse.ts', aChunk('function parseBody(text) {}', { definitions: ['parseBody'] })),
    )
    expect(paths(index, 'parseBody')).toEqual(['src/parse.ts', 'src/caller.ts'])
  })

  it('puts the file whose name says it first', () => {
    const index = anIndex(
      aFile('src/util.ts', aChunk('retry back-off with retry count')),
      aFile('src/retry-policy.ts', aChunk('const attempts = backOff()')),
    )
    expect(paths(index, 'retry policy')[0]).toBe('src/retry-policy.ts')
  })

  it('puts the code before its tests', () => {
    const index = anIndex(
      aFile('test/cache.test.ts', aChunk('cache eviction cache eviction cache eviction')),
      aFile('src/cache.ts', aChunk('evict the least used entry of the cache')),
    )
    expect(paths(index, 'cache eviction')[0]).toBe('src/cache.ts')
  })

  it('puts tests first when the query asks for them', () => {
    const index = anIndex(
      aFile('src/cache.test.ts', aChunk('cache eviction of the cache, cache eviction')),
      aFile('src/other.ts', aChunk('the tests of the cache eviction are elsewhere')),
    )
    expect(paths(index, 'cache eviction')[0]).toBe('src/other.ts')
    expect(paths(index, 'tests of the cache eviction')[0]).toBe('src/cache.test.ts')
  })

  it('does not rank the code lower for the tests, documents and examples that say the same', () => {
    const SAME = aChunk('cache eviction')
    const source = aFile('src/store.ts', aChunk('the cache, and with some more words its eviction'))
    const rankBeside = (query: string, ...others: string[]) =>
      anIndex(...others.map((path) => aFile(path, SAME)), source)
        .explain(query)
        .find(({ path }) => path === source.path)?.features.rank
    const inTheWay = ['test/a.test.ts', 'docs/b.md', 'examples/c.ts']
    expect(rankBeside('cache eviction', ...inTheWay)).toBe(1)
    expect(rankBeside('cache eviction', ...inTheWay, 'src/d.ts')).toBeLessThan(1)
    expect(rankBeside('tests of cache eviction', ...inTheWay)).toBeLessThan(1)
  })

  it('puts a file before its parts, and a part that stands alone where its text belongs', () => {
    const text = 'price of the cart'
    const index = anIndex(aFile('src/Cart.Json.cs', aChunk(`${text} ${text}`)))
    expect(paths(index, 'cart')).toEqual(['src/Cart.Json.cs'])
    index.set(aFile('src/Cart.cs', aChunk(text)))
    expect(paths(index, 'price of the cart')[0]).toBe('src/Cart.cs')
  })

  it('finds a file that is called what the query says, whatever stands in it', () => {
    const index = anIndex(
      aFile('src/circuit-breaker.ts', aChunk('export const x = 1')),
      ...Array.from({ length: 700 }, (_, n) =>
        aFile(`src/a${n}.ts`, aChunk('circuitbreaker circuit breaker circuit breaker')),
      ),
    )
    expect(index.search('CircuitBreaker', { limit: 1_000 }).map(({ path }) => path)).toContain(
      'src/circuit-breaker.ts',
    )
  })

  it('lets a file be followed by others before its second chunk', () => {
    const text = 'socket timeout handling'
    const index = anIndex(
      aFile('src/a.ts', aChunk(text), aChunk(text, { startLine: 2, endLine: 2 })),
      aFile('src/b.ts', aChunk(`${text} and some more words of another kind`)),
    )
    expect(paths(index, 'socket timeout')).toEqual(['src/a.ts', 'src/b.ts', 'src/a.ts'])
  })

  it('answers with lines, and scores that fall from at most 1', () => {
    const index = anIndex(
      aFile('a.ts', aChunk('x'), aChunk('needle here', { startLine: 2, endLine: 9 })),
      aFile('b.ts', aChunk('needle and hay and hay and hay')),
    )
    const hits = index.search('needle')
    expect(hits[0]).toMatchObject({ path: 'a.ts', chunk: 1, startLine: 2, endLine: 9 })
    const scores = hits.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(scores[0]).toBeLessThanOrEqual(1)
  })

  it('finds nothing for words it has never seen', () => {
    expect(anIndex(aFile('a.ts', aChunk('needle'))).search('zebra crossing')).toEqual([])
  })

  it('answers only what the filter accepts', () => {
    const index = anIndex(aFile('a.ts', aChunk('needle')), aFile('b.py', aChunk('needle')))
    const hits = index.search('needle', { accept: (path) => path.endsWith('.py') })
    expect(hits.map(({ path }) => path)).toEqual(['b.py'])
  })

  it('explains a place by the features of its file', () => {
    const index = anIndex(
      aFile('src/parse.ts', aChunk('function parseBody() {}', { definitions: ['parseBody'] })),
      aFile('test/parse.test.ts', aChunk('parseBody()')),
    )
    const [first, second] = index.explain('parseBody')
    expect(first).toMatchObject({ kind: 'symbol', features: { defines: 1, test: 0 } })
    expect(second).toMatchObject({ features: { defines: 0, test: 1 } })
  })

  it('prefers the file that others depend on', () => {
    const files = [aFile('a.ts', aChunk('queue of jobs')), aFile('b.ts', aChunk('queue of jobs'))]
    const index = anIndex(...files)
    index.useCentrality((path) => (path === 'b.ts' ? 1 : 0))
    expect(paths(index, 'job queue')).toEqual(['b.ts', 'a.ts'])
  })

  it('prefers the exact spelling of a name, and the chunk that defines it', () => {
    const index = anIndex(
      aFile('lower.py', aChunk('def session(): return Session()', { definitions: ['session'] })),
      aFile(
        'upper.py',
        aChunk('import x'),
        aChunk('class Session:', { definitions: ['Session'], startLine: 5, endLine: 9 }),
      ),
    )
    expect(index.search('Session')[0]).toMatchObject({ path: 'upper.py', startLine: 5 })
    expect(index.search('session')[0]).toMatchObject({ path: 'lower.py' })
  })

  it('scores low throughout when most of the query is unknown', () => {
    const index = anIndex(aFile('a.ts', aChunk('needle in hay')), aFile('b.ts', aChunk('other')))
    expect(index.search('needle hay')[0]?.score).toBeGreaterThan(0.9)
    expect(index.search('needle zebra giraffe lion')[0]?.score).toBeLessThan(0.4)
    expect(index.search('needle zebra giraffe lion', { minScore: 0.5 })).toEqual([])
  })

  it('forgets a deleted file and replaces a changed one', () => {
    const index = anIndex(aFile('a.ts', aChunk('old needle')), aFile('b.ts', aChunk('other')))
    index.set(aFile('a.ts', aChunk('fresh thread')))
    index.delete('b.ts')
    expect(paths(index, 'needle')).toEqual([])
    expect(paths(index, 'other')).toEqual([])
    expect(paths(index, 'thread')).toEqual(['a.ts'])
    expect([...index.paths()]).toEqual(['a.ts'])
  })

  it('answers the same after many changes as an index built afresh', () => {
    const changed = new CodeIndex()
    const files = Array.from({ length: 400 }, (_, n) =>
      aFile(`src/f${n}.ts`, aChunk(`alpha w${n % 7} w${n % 11}`), aChunk(`beta w${n % 5}`)),
    )
    for (const round of [0, 1, 2, 3]) {
      for (const file of files) changed.set(aFile(file.path, aChunk(`round ${round}`)))
      for (const file of files) changed.set(file)
    }
    const fresh = anIndex(...files)
    for (const query of ['alpha w3', 'beta w4 w2', 'f17'])
      expect(changed.search(query)).toEqual(fresh.search(query))
  })

  it('comes back from its file, and can be changed from there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'code-index-'))
    try {
      const index = anIndex(
        aFile('src/a.ts', aChunk('needle'), aChunk('thread', { startLine: 4, endLine: 6 })),
        aFile('src/b.ts', aChunk('hay')),
      )
      index.delete('src/b.ts')
      await saveCodeIndex(join(folder, 'x.idx'), index, {
        about: { branch: 'main' },
        records: [
          ['a', 1],
          ['ä', 2],
        ],
      })
      const { index: loaded, about, records } = await loadCodeIndex(join(folder, 'x.idx'))
      expect(about).toEqual({ branch: 'main' })
      expect([...records]).toEqual([
        ['a', 1],
        ['ä', 2],
      ])
      expect(loaded.search('thread')).toEqual(index.search('thread'))
      loaded.set(aFile('src/c.ts', aChunk('later thread')))
      expect(paths(loaded, 'later')).toEqual(['src/c.ts'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
