import { z } from 'zod'
import type { JsonObject } from '../../base/json/json.ts'
import { type BuiltinCalls, type BuiltinVisit, withBuiltin } from '../builtin-calls.ts'
import type { Moderation, TracesPage } from '../contract/builtins.ts'
import { numberOf, objectsOf, textOf, textsOf } from '../fields.ts'
import { agent, choice, limit, maybe } from '../inputs.ts'
import { HttpError } from '../../http/http-error.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import { toTrace, toTraceDetail } from '../views/to-trace.ts'

const query = z.object({
  agent,
  q: maybe,
  tag: maybe,
  status: choice(['pending', 'validated']),
  flagged: choice(['1']),
  cursor: maybe,
  limit: limit(50, 20),
})

type Query = z.output<typeof query>

export function traceRoutes(sources: Sources): Route[] {
  const visit = (visitor: BuiltinVisit['visitor'], as: string | undefined) => ({
    sources,
    visitor,
    agent: as,
  })
  return [
    defineRoute('GET /traces', {
      role: 'viewer',
      query,
      async answer({ visitor, query: given }) {
        const asked = query.parse(given)
        if (asked.flagged && visitor.role !== 'admin')
          throw new HttpError(403, 'ROLE_REQUIRED', 'What was reported is for admins to see')
        return withBuiltin('traces', visit(visitor, asked.agent), async (calls) => {
          const page = await find(calls, asked)
          return { ...page, tags: textsOf(await calls.tool('list_tags', {}), 'tags') }
        })
      },
    }),
    defineRoute('GET /traces/:id', {
      role: 'viewer',
      query: z.object({ agent }),
      answer: async ({ visitor, query: asked, params: { id: trace_id = '' } }) =>
        withBuiltin('traces', visit(visitor, asked.agent), async (calls) =>
          toTraceDetail(sound(await calls.tool('get_trace', { trace_id: knownForm(trace_id) }))),
        ),
    }),
    defineRoute('POST /traces/:id/moderate', {
      role: 'admin',
      body: z.object({
        agent,
        action: z.enum(['approve', 'flag', 'remove']),
        reason: maybe,
      }),
      answer: async ({ visitor, body, params: { id = '' } }) =>
        withBuiltin('traces', visit(visitor, body.agent), async (calls) => {
          const { action = 'flag', reason } = body
          await calls.operate(toRequest(id, action, reason))
          return { message: DONE[action] }
        }),
    }),
  ]
}

const DONE: Readonly<Record<Moderation['action'], string>> = {
  approve: 'It counts as validated, and reports of it are dismissed',
  flag: 'It is hidden until it is approved',
  remove: 'It is gone, with everything that hung on it',
}

/** Returns the id of a trace; throws if no trace can have it. */
function knownForm(id: string): string {
  if (z.uuid().safeParse(id).success) return id
  throw new HttpError(404, 'NOT_FOUND', `There is no trace "${id}"`)
}

function toRequest(given: string, action: Moderation['action'], reason: string | undefined) {
  const id = knownForm(given)
  if (action === 'remove') return { method: 'DELETE', path: `/api/v1/moderation/traces/${id}` }
  if (action === 'approve')
    return { method: 'POST', path: `/api/v1/moderation/traces/${id}/validate` }
  const body = { reason: reason ?? 'Flagged on the dashboard', category: 'incorrect' }
  return { method: 'POST', path: `/api/v1/traces/${id}/flag`, body }
}

type Page = Omit<TracesPage, 'tags'>

async function find(calls: BuiltinCalls, asked: Query): Promise<Page> {
  if (asked.flagged) return flagged(calls, asked)
  return asked.q === undefined ? browse(calls, asked) : search(calls, asked)
}

async function search(calls: BuiltinCalls, { q, tag, status, limit: most }: Query): Promise<Page> {
  const args = {
    query: q,
    tags: tag === undefined ? [] : [tag],
    limit: most,
    ...(status && { status }),
  }
  const answer = sound(await calls.tool('search_traces', args))
  const traces = objectsOf(answer, 'results').map(toTrace)
  const notes = answer['degraded'] === true ? ['Searched by words only: the embedder is away'] : []
  return { traces, next: null, total: null, notes }
}

async function browse(calls: BuiltinCalls, asked: Query): Promise<Page> {
  const offset = offsetOf(asked)
  const page = new URLSearchParams({ limit: String(asked.limit), offset: String(offset) })
  if (asked.status) page.set('status', asked.status)
  if (asked.tag) page.set('tag', asked.tag)
  const path = `/api/v1/traces?${page.toString()}`
  const answer = await calls.operate({ method: 'GET', path }, 'search_traces')
  const traces = objectsOf(answer, 'traces').map(toTrace)
  const total = numberOf(answer, 'total') ?? traces.length
  const end = offset + traces.length
  return { traces, total, next: end < total && traces.length > 0 ? `${end}` : null, notes: [] }
}

async function flagged(calls: BuiltinCalls, asked: Query): Promise<Page> {
  const offset = offsetOf(asked)
  const path = `/api/v1/moderation/flagged?limit=${asked.limit}&offset=${offset}`
  const answer = await calls.operate({ method: 'GET', path }, 'search_traces')
  const traces = objectsOf(answer, 'list').map(toTrace)
  const full = traces.length === asked.limit
  return { traces, total: null, next: full ? `${offset + traces.length}` : null, notes: [] }
}

function offsetOf({ cursor }: Query): number {
  return Math.max(0, Math.trunc(Number(cursor ?? 0)) || 0)
}

/** Throws if the answer reports an error: the traces tools never fail, but say so in a field. */
function sound(answer: JsonObject): JsonObject {
  const { error, reason } = answer
  const failure = typeof error === 'object' && error !== null ? { ...error } : undefined
  if (failure) {
    const status = 'status' in failure && failure.status === 404 ? 404 : 502
    const detail = 'detail' in failure ? String(failure.detail) : 'The traces service refused'
    throw new HttpError(status, status === 404 ? 'NOT_FOUND' : 'UPSTREAM_ERROR', detail)
  }
  if (answer['degraded'] === true && reason !== undefined)
    throw new HttpError(
      502,
      'SERVER_UNAVAILABLE',
      `The traces service: ${textOf(answer, 'reason')}`,
    )
  return answer
}
