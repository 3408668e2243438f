import type { IncomingMessage } from 'node:http'
import { Hono } from 'hono'
import type { ApiHost } from '../../kit/builtin-api.ts'
import type { CodeLog } from '../log/code-log.ts'
import { StatusError } from './status-error.ts'
import { fileRoutes } from './file-routes.ts'
import { graphRoutes } from './graph-routes.ts'
import { IndexingJobs } from './indexing-jobs.ts'
import { indexingRoutes } from './indexing-routes.ts'
import { liveRoutes } from './live-routes.ts'
import { searchRoutes } from './search-routes.ts'
import { stateRoutes } from './state-routes.ts'
import type { ApiEnv, CodeApi, Visit } from './visit.ts'

export interface CodeApiOptions {
  /** Identifies the caller; throws a `StatusError` for a caller without access. */
  readonly visit: (request: IncomingMessage) => Promise<Visit>
  readonly log: CodeLog
  /** Ends the process; absent if it serves more than code search. */
  readonly stop?: (() => void) | undefined
}

export interface OpenCodeApi {
  readonly fetch: CodeApi['fetch']
  close(): void
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** The HTTP API of code search: everything below `/api`, over the same operations as the tools. */
export function createCodeApi({ visit, log, stop }: CodeApiOptions): OpenCodeApi {
  const closing = new AbortController()
  const jobs = new IndexingJobs((job) => {
    const { index_name, status, elapsed_seconds, error } = job
    const level = status === 'error' ? 'error' : 'info'
    log.add(
      'index',
      `indexing of ${index_name} ended: ${status}`,
      { elapsed_seconds, error },
      { level },
    )
  })
  const api: CodeApi = new Hono<ApiEnv>()
  api.use(async function admit(c, next) {
    c.set('visit', await visit(c.env.incoming))
    await next()
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value)
  })
  searchRoutes(api)
  indexingRoutes(api, jobs)
  stateRoutes(api, jobs)
  fileRoutes(api)
  graphRoutes(api)
  liveRoutes(api, { log, closing: closing.signal, stop })
  api.notFound((c) => c.json(failure(`There is no ${c.req.method} ${c.req.path}`), 404))
  api.onError((error, c) => {
    if (error instanceof StatusError)
      return Response.json(failure(error.message), { status: error.status })
    log.add('system', error.message, { path: c.req.path }, { level: 'error' })
    return c.json(failure(error.message), 500)
  })
  return {
    fetch: api.fetch,
    close() {
      closing.abort()
      jobs.close()
    },
  }
}

function failure(error: string): { success: false; error: string } {
  return { success: false, error }
}

/** Returns the visit of a request; refusals of the gateway become error responses of this API. */
export async function explainedVisit(request: IncomingMessage, host: ApiHost): Promise<Visit> {
  async function explained<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      const { status, message } = host.explain(error)
      throw new StatusError(status, message, error)
    }
  }
  const visit = await explained(async () => host.visit(request))
  return {
    role: visit.role,
    isLocal: visit.isLocal,
    permit: async (tool) => explained(async () => visit.permit(tool)),
    tool: async (name, args) => explained(async () => visit.tool(name, args)),
    operate: async (operation, asked, options) =>
      explained(async () => visit.operate(operation, asked, options)),
  }
}
