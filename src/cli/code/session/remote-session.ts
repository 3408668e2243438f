import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../../base/errors.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import type { Environment } from '../../../base/environment.ts'
import type { CodeSession, SessionOptions } from './code-session.ts'
import { parsePathPrefix } from './path-prefix.ts'
import { projectOfUser } from '../project-of-user.ts'
import { wrongUsage } from '../wrong-usage.ts'

/** The waits between polls grow, as small projects finish at once and large ones take long. */
const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 2_000

/** Uses the HTTP API of a remote server (`COCOSEARCH_SERVER_URL`) for the current project. */
export function openRemoteSession(
  server: string,
  { progress = () => undefined }: SessionOptions,
  env: Environment,
): CodeSession {
  const prefix = parsePathPrefix(env['COCOSEARCH_PATH_PREFIX'])
  const project = prefix.toServer(projectOfUser(env).path)
  const key = env['PORTOLAN_KEY']

  async function ask(path: string, body?: JsonObject): Promise<unknown> {
    const url = new URL(`/api/${path}`, server)
    url.searchParams.set('project_path', project)
    const response = await fetch(url, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        'content-type': 'application/json',
        ...(key && { authorization: `Bearer ${key}` }),
      },
    }).catch((error: unknown) => {
      throw unreachable(server, error)
    })
    const answer: unknown = await response.json().catch((error: unknown) => {
      throw unreachable(server, error)
    })
    if (response.ok) return prefix.fromServer(answer)
    throw wrongUsage(
      isObject(answer) && typeof answer['error'] === 'string'
        ? answer['error']
        : `The code server at ${server} answered with status ${response.status}`,
    )
  }

  /** Polls the server for the progress of indexing, which runs there in the background. */
  async function follow(name: unknown): Promise<unknown> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, 1.5 * waitMs)) {
      const jobs = await ask('indexing')
      const job = Array.isArray(jobs) ? jobs.find((one) => one.index_name === name) : undefined
      if (!isObject(job))
        throw wrongUsage(`${server} no longer knows the indexing of ${String(name)}`)
      progress({
        progress: Number(job['done']),
        ...(job['total'] !== null && { total: Number(job['total']) }),
      })
      if (job['result'] !== null) return job['result']
      if (job['error'] !== null) return { success: false, error: job['error'] }
      await sleep(waitMs)
    }
  }

  return {
    call: async (tool, args) => ask(`tools/${tool}`, args),
    async index({ path, ...how }) {
      const started = await ask('index', { ...how, project_path: prefix.toServer(path) })
      return follow(isObject(started) ? started['index_name'] : undefined)
    },
    close: async () => undefined,
  }
}

function unreachable(server: string, error: unknown): Error {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const reason = messageOf(cause)
  return wrongUsage(
    `The code server at ${server} (COCOSEARCH_SERVER_URL) does not answer: ${reason}`,
    error,
  )
}
