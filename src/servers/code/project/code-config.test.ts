import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadCodeConfig } from './code-config.ts'

function aFolderWith(yaml: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-config-'))
  writeFileSync(join(folder, 'cocosearch.yaml'), yaml)
  return folder
}

const load = (yaml: string, env: NodeJS.ProcessEnv = {}) => loadCodeConfig([aFolderWith(yaml)], env)

describe('cocosearch.yaml', () => {
  it('has defaults for everything', () => {
    expect(load('').search).toEqual({ resultLimit: 10, minScore: 0 })
  })

  it('says which key was meant, snake case included', () => {
    expect(() => load('indexname: x')).toThrow("unknown key 'indexname'. Did you mean 'indexName'?")
    expect(() => load('indexing:\n  chunk_size: 5')).toThrow("Did you mean 'chunkSize'?")
  })

  it('says what was expected and in which file', () => {
    expect(() => load('search:\n  minScore: 2')).toThrow(
      /cocosearch\.yaml: search\.minScore: Too big/,
    )
    expect(() => load('a: [')).toThrow('is not valid YAML')
  })

  it('takes a name of digits from the environment for a name', () => {
    expect(load('', { COCOSEARCH_INDEX_NAME: '2024' }).indexName).toBe('2024')
  })

  it('lets the environment win over the file', () => {
    const env = {
      COCOSEARCH_INDEXING_CHUNK_SIZE: '700',
      COCOSEARCH_INDEXING_EXCLUDE_PATTERNS: 'a, b',
    }
    expect(load('indexing:\n  chunkSize: 5', env).indexing).toEqual({
      chunkSize: 700,
      excludePatterns: ['a', 'b'],
      includePatterns: [],
    })
  })

  it('puts variables into strings, and refuses one that is not set', () => {
    expect(load('indexName: ${NAME:-fallback}').indexName).toBe('fallback')
    expect(load('indexName: ${NAME}', { NAME: 'mine' }).indexName).toBe('mine')
    expect(() => load('indexName: ${NAME}')).toThrow('the variable NAME is not set')
  })

  it('looks in the folders given, nearest first', () => {
    const [a, b] = [aFolderWith('indexName: a'), aFolderWith('indexName: b')]
    expect(loadCodeConfig([a, b], {}).indexName).toBe('a')
    expect(loadCodeConfig([tmpdir(), b], {}).indexName).toBe('b')
  })
})
