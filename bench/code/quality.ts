import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_SETTINGS } from '../../src/builtins/code/engine/index/index-settings.ts'
import { ProjectIndex } from '../../src/builtins/code/engine/index/project-index.ts'
import { refresh } from '../../src/builtins/code/engine/index/refresh.ts'
import { projectAt } from '../../src/builtins/code/project/find-project.ts'
import { VECTOR_DIMENSION } from '../../src/search/code/code-meaning.ts'
import { createBuiltinEmbedder } from '../../src/search/embed/builtin-embedder.ts'
import { type Repository, loadRepositories, loadTasks } from './benchmark.ts'
import { type ResultChunk, mean, ndcg10 } from './score.ts'

export interface QueryResult {
  readonly repo: string
  readonly query: string
  readonly results: readonly ResultChunk[]
}

export interface Quality {
  readonly perRepo: ReadonlyMap<string, number>
  readonly queries: number
  readonly results: readonly QueryResult[]
  readonly queryMs: readonly number[]
  readonly missing: readonly string[]
}

/** Indexes every repository's benchmark root, asks every query, scores the answers. */
export async function measureQuality(repos: string, data: string): Promise<Quality> {
  const perRepo = new Map<string, number>()
  const results: QueryResult[] = []
  const queryMs: number[] = []
  const missing: string[] = []
  for (const repository of loadRepositories(data)) {
    const root = join(repos, repository.name, repository.benchmark_root)
    if (!existsSync(root)) {
      missing.push(repository.name)
      continue
    }
    const index = await build(root)
    const tasks = loadTasks(data, repository.name)
    // The figures are for a warm process: the first queries make V8 compile the code.
    for (const { query } of tasks) index.lexical.search(query)
    const scores = tasks.map(({ query, targets }) => {
      const started = performance.now()
      const hits = index.lexical.search(query, { limit: 10 })
      queryMs.push(performance.now() - started)
      const chunks = hits.map((hit) => withinRepository(repository, hit))
      results.push({ repo: repository.name, query, results: chunks })
      return ndcg10(chunks, targets)
    })
    perRepo.set(repository.name, mean(scores))
  }
  return { perRepo, queries: results.length, results, queryMs, missing }
}

/** Indexes as the product does: with the model of the package, unless `words` is set. */
export async function build(root: string, { words = false } = {}): Promise<ProjectIndex> {
  const model = words ? undefined : createBuiltinEmbedder({ dimension: VECTOR_DIMENSION })
  const index = ProjectIndex.empty(projectAt(root), 'bench', DEFAULT_SETTINGS, model)
  await refresh(index)
  return index
}

function withinRepository({ benchmark_root: root }: Repository, hit: ResultChunk): ResultChunk {
  const { startLine, endLine } = hit
  return { path: root === '' ? hit.path : `${root}/${hit.path}`, startLine, endLine }
}
