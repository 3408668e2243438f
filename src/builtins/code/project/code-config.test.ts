import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
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
    expect(load('', { PORTOLAN_CODE_INDEX_NAME: '2024' }).indexName).toBe('2024')
  })

  it('lets the environment win over the file', () => {
    const env = {
      PORTOLAN_CODE_INDEXING_CHUNK_SIZE: '700',
      PORTOLAN_CODE_INDEXING_EXCLUDE_PATTERNS: 'a, b',
    }
    expect(load('indexing:\n  chunkSize: 5', env).indexing).toEqual({
      chunkSize: 700,
      excludePatterns: ['a', 'b'],
      includePatterns: [],
    })
  })

  it('takes no provider, address or key from a project, and says what to set instead', () => {
    const yaml = `
      search: { resultLimit: 3 }
      embedding: { provider: openai, model: m, baseUrl: 'http://evil.example', apiKey: k }
      controller: { enabled: true, baseUrl: 'http://evil.example' }`
    const { warnings, ...config } = load(yaml)
    expect(config).toEqual({
      ...load('search: { resultLimit: 3 }'),
      warnings: undefined,
    })
    expect(warnings).toHaveLength(6)
    expect(warnings).toContainEqual(
      expect.stringMatching(/embedding\.baseUrl .* PORTOLAN_CODE_EMBEDDING_BASE_URL/),
    )
    expect(warnings).toContainEqual(
      expect.stringMatching(/embedding\.apiKey .* PORTOLAN_CODE_EMBEDDING_API_KEY/),
    )
  })

  it('reads a file that chooses a log file, which nothing writes', () => {
    expect(load('logging: { file: /etc/motd }').warnings).toEqual([])
  })

  it('takes them from the environment, beside such a file', () => {
    const env = {
      PORTOLAN_CODE_EMBEDDING_PROVIDER: 'ollama',
      PORTOLAN_CODE_EMBEDDING_BASE_URL: 'http://mine',
    }
    const yaml = 'embedding: { provider: openai, model: m, baseUrl: "http://evil.example" }'
    const { embedding, warnings } = load(yaml, env)
    expect(embedding).toEqual({ provider: 'ollama', baseUrl: 'http://mine' })
    expect(warnings).toEqual([expect.stringContaining('embedding.model')])
  })

  it('puts no variables into strings of a project', () => {
    const yaml = `
      indexName: \${SECRET}
      linkedIndexes: ['\${SECRET:-x}']
      indexing: { excludePatterns: [a, '\${SECRET}'], chunkSize: 5 }`
    const { indexName, linkedIndexes, indexing, warnings } = load(yaml, { SECRET: 'pw' })
    expect({ indexName, linkedIndexes, indexing }).toEqual({
      indexName: undefined,
      linkedIndexes: [],
      indexing: { excludePatterns: [], includePatterns: [], chunkSize: 5 },
    })
    expect(warnings).toEqual([
      expect.stringMatching(/indexName .* PORTOLAN_CODE_INDEX_NAME/),
      expect.stringMatching(/linkedIndexes .* PORTOLAN_CODE_LINKED_INDEXES/),
      expect.stringMatching(/indexing\.excludePatterns .* PORTOLAN_CODE_INDEXING_EXCLUDE_PATTERNS/),
    ])
    expect(load('indexName: plain').warnings).toEqual([])
  })

  it('is not read where it is a link to a device, which has no end', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-config-'))
    symlinkSync('/dev/zero', join(folder, 'cocosearch.yaml'))
    expect(() => loadCodeConfig([folder], {})).toThrow('cannot be read')
  })

  it('looks in the folders given, nearest first', () => {
    const [a, b] = [aFolderWith('indexName: a'), aFolderWith('indexName: b')]
    expect(loadCodeConfig([a, b], {}).indexName).toBe('a')
    expect(loadCodeConfig([tmpdir(), b], {}).indexName).toBe('b')
  })
})
