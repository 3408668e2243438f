import type { JsonObject } from '../../../base/json/json.ts'
import { describeGrammars, describeLanguages } from '../languages/describe-languages.ts'
import { StatusError, withoutFailure } from './status-error.ts'
import type { IndexingJob, IndexingJobs } from './indexing-jobs.ts'
import { type ApiContext, type CodeApi, listOf, needRole } from './visit.ts'

const NEAREST = 'list_indexes'

/** Routes for indexes, projects, languages and health. */
export function stateRoutes(api: CodeApi, jobs: IndexingJobs): void {
  api.get('/api/stats', async (c) => {
    const name = c.req.query('index')
    return name ? statsOf(c, jobs, name) : allStats(c, jobs)
  })
  api.get('/api/stats/:name', async (c) => statsOf(c, jobs, c.req.param('name')))
  api.get('/api/list', async (c) =>
    c.json(
      listOf(await c.get('visit').tool('list_indexes', {})).map((index) => withJob(index, jobs)),
    ),
  )
  api.get('/api/project', async (c) => answer(c, 'project'))
  api.get('/api/projects', async (c) => answer(c, 'projects'))
  api.get('/api/languages', (c) => c.json(describeLanguages()))
  api.get('/api/grammars', (c) => c.json(describeGrammars()))
  api.get('/api/infra', async (c) => {
    needRole(c, 'viewer')
    return answer(c, 'infra')
  })
  api.get('/api/credits', async (c) => {
    needRole(c, 'viewer')
    // An account that cannot be queried is an answer, not a failure.
    return c.json(await c.get('visit').operate({ name: 'credits', nearestTool: NEAREST }))
  })
}

async function answer(c: ApiContext, name: string): Promise<Response> {
  return c.json(withoutFailure(await c.get('visit').operate({ name, nearestTool: NEAREST })))
}

async function allStats(c: ApiContext, jobs: IndexingJobs): Promise<Response> {
  const args = { include_failures: wantsFailures(c) }
  const known = listOf(await c.get('visit').tool('index_stats', args))
  const names = new Set(known.map(({ name }) => name))
  const building = jobs.list().filter((job) => isNew(job) && !names.has(job.index_name))
  if (known.length + building.length === 0) throw nothingYet()
  return c.json([...known.map((stats) => withJob(stats, jobs)), ...building.map(toStats)])
}

async function statsOf(c: ApiContext, jobs: IndexingJobs, name: string): Promise<Response> {
  const visit = c.get('visit')
  const indexes = listOf(await visit.tool('list_indexes', {}))
  const job = jobs.get(name)
  if (!indexes.some((index) => index['name'] === name)) {
    if (job && isNew(job)) return c.json(toStats(job))
    throw indexes.length === 0 ? nothingYet() : new StatusError(404, `Index '${name}' not found`)
  }
  const stats = await visit.tool('index_stats', {
    index_name: name,
    include_failures: wantsFailures(c),
  })
  return c.json(withJob(withoutFailure(stats), jobs))
}

function wantsFailures(c: ApiContext): boolean {
  return /^(?:1|true)$/i.test(c.req.query('include_failures') ?? '')
}

function nothingYet(): StatusError {
  return new StatusError(503, 'Database not initialized. Index a codebase first.')
}

function isNew({ status }: IndexingJob): boolean {
  return status === 'indexing' || status === 'stopping' || status === 'error'
}

/** Describes an index during its first build: it has a state, but no statistics yet. */
function toStats({
  index_name,
  path,
  status,
  done,
  elapsed_seconds,
  error,
}: IndexingJob): JsonObject {
  return {
    name: index_name,
    source_path: path,
    status,
    file_count: done,
    indexing_elapsed_seconds: elapsed_seconds,
    warnings: error === null ? [] : [error],
  }
}

function withJob(index: JsonObject, jobs: IndexingJobs): JsonObject {
  const job = jobs.get(String(index['name']))
  if (!job || !jobs.isActive(job.index_name)) return index
  return { ...index, status: job.status, indexing_elapsed_seconds: job.elapsed_seconds }
}
