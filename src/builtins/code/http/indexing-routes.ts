import type { JsonObject } from '../../../base/json/json.ts'
import { StatusError, withoutFailure } from './status-error.ts'
import type { IndexingJobs } from './indexing-jobs.ts'
import {
  type ApiContext,
  type CodeApi,
  type Visit,
  bodyOf,
  listOf,
  only,
  required,
} from './visit.ts'

const PLAN = { name: 'plan_index', nearestTool: 'index_codebase' }
const INDEX = { name: 'index', nearestTool: 'index_codebase' }

/** Routes that build, rebuild, stop and delete indexes. */
export function indexingRoutes(api: CodeApi, jobs: IndexingJobs): void {
  api.post('/api/index', async (c) => {
    const body = await bodyOf(c)
    const path = required(body, 'project_path')
    const how = only(
      body,
      'index_name',
      'include_patterns',
      'exclude_patterns',
      'no_gitignore',
      'fresh',
    )
    return start(c, jobs, { path, ...how })
  })
  api.post('/api/reindex', async (c) => {
    const body = await bodyOf(c)
    const name = required(body, 'index_name')
    const path = await rootOf(c.get('visit'), name)
    return start(c, jobs, { path, index_name: name, ...only(body, 'fresh') })
  })
  api.post('/api/stop-indexing', async (c) => {
    const name = required(await bodyOf(c), 'index_name')
    await c.get('visit').permit('index_codebase')
    if (!jobs.stop(name)) throw new StatusError(404, `'${name}' is not being indexed`)
    return c.json({ success: true, message: `Stopping the indexing of '${name}'` })
  })
  api.get('/api/indexing', async (c) => {
    await c.get('visit').permit('list_indexes')
    return c.json(jobs.list())
  })
  api.post('/api/delete-index', async (c) => {
    const name = required(await bodyOf(c), 'index_name')
    if (jobs.isActive(name))
      throw new StatusError(
        409,
        `Cannot delete '${name}' while indexing is active. Stop indexing first.`,
      )
    await rootOf(c.get('visit'), name)
    return c.json(withoutFailure(await c.get('visit').tool('clear_index', { index_name: name })))
  })
  api.post('/api/extract-deps', async (c) => {
    const body = await bodyOf(c)
    const name = required(body, 'index_name')
    const visit = c.get('visit')
    const path = await rootOf(visit, name)
    refuseWhileActive(jobs, name)
    const answer = withoutFailure(
      await visit.operate(INDEX, { path, index_name: name, ...only(body, 'fresh') }),
    )
    const { total_edges: edges } = Object(answer['dep_stats'])
    return c.json({
      success: true,
      message: `Extracted ${String(edges)} dependency edges of '${name}'`,
    })
  })
}

/** Starts indexing and answers at once; `/api/indexing` and the statistics show its progress. */
async function start(c: ApiContext, jobs: IndexingJobs, request: JsonObject): Promise<Response> {
  const visit = c.get('visit')
  const plan = withoutFailure(await visit.operate(PLAN, request))
  const [name, path] = [String(plan['index_name']), String(plan['path'])]
  refuseWhileActive(jobs, name)
  jobs.start(name, path, async (signal, report) =>
    visit.operate(
      INDEX,
      { ...request, index_name: name },
      {
        signal,
        onProgress: ({ progress, total }) =>
          report({ done: Number(progress), total: total === undefined ? null : Number(total) }),
      },
    ),
  )
  return c.json({ success: true, message: `Indexing started for ${path}`, index_name: name })
}

function refuseWhileActive(jobs: IndexingJobs, name: string): void {
  if (jobs.isActive(name))
    throw new StatusError(409, 'Previous indexing still completing. Try again shortly.')
}

async function rootOf(visit: Visit, name: string): Promise<string> {
  const found = listOf(await visit.tool('list_indexes', {})).find((index) => index['name'] === name)
  if (found) return String(found['source_path'])
  throw new StatusError(404, `Index '${name}' not found`)
}
