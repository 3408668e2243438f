import { z } from 'zod'
import {
  type Trace,
  browseAnswer,
  flaggedAnswer,
  searchAnswer,
  tagsAnswer,
  traceAnswer,
  troubleAnswer,
} from '../../builtins/traces/answers.ts'
import { type BuiltinCalls, type BuiltinVisit, withBuiltin } from '../builtin-calls.ts'
import type { Moderation, TracesPage } from '../contract/builtins.ts'
import { agent, choice, limit, maybe, nextOffset, offsetOf } from '../inputs.ts'
import { HttpError } from '../../http/http-error.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'

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
          throw new HttpError(403, 'ROLE_REQUIRED', 'Only admins can see reported traces')
        return withBuiltin('traces', visit(visitor, asked.agent), async (calls) => {
          const page = await find(calls, asked)
          const { tags } = await calls.tool('list_tags', {}, sound(tagsAnswer))
          return { ...page, traces: page.traces.map(shortened), tags }
        })
      },
    }),
    defineRoute('GET /traces/:id', {
      role: 'viewer',
      query: z.object({ agent }),
      answer: async ({ visitor, query: asked, params: { id: trace_id = '' } }) =>
        withBuiltin('traces', visit(visitor, asked.agent), async (calls) =>
          calls.tool('get_trace', { trace_id: knownForm(trace_id) }, sound(traceAnswer)),
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
          await calls.operate(toRequest(id, action, reason), z.unknown())
          return { message: DONE[action] }
        }),
    }),
  ]
}

const DONE: Readonly<Record<Moderation['action'], string>> = {
  approve: 'The trace is validated and its reports are dismissed',
  flag: 'The trace is hidden until an admin approves it',
  remove: 'The trace is deleted, with its votes, amendments and links',
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
  const args = { query: q, tags: tag === undefined ? [] : [tag], limit: most, status }
  const { results, degraded } = await calls.tool('search_traces', args, sound(searchAnswer))
  const notes = degraded === true ? ['Searched by words only: the embedder does not answer'] : []
  return { traces: results, next: null, total: null, notes }
}

async function browse(calls: BuiltinCalls, asked: Query): Promise<Page> {
  const offset = offsetOf(asked.cursor)
  const page = new URLSearchParams({ limit: String(asked.limit), offset: String(offset) })
  if (asked.status) page.set('status', asked.status)
  if (asked.tag) page.set('tag', asked.tag)
  const path = `/api/v1/traces?${page.toString()}`
  const { traces, total } = await calls.operate({ method: 'GET', path }, browseAnswer, NEAREST)
  return { traces, total, next: nextOffset(offset, traces.length, total), notes: [] }
}

async function flagged(calls: BuiltinCalls, asked: Query): Promise<Page> {
  const offset = offsetOf(asked.cursor)
  const path = `/api/v1/moderation/flagged?limit=${asked.limit}&offset=${offset}`
  const { list } = await calls.operate({ method: 'GET', path }, flaggedAnswer, NEAREST)
  const next = list.length === asked.limit ? `${offset + list.length}` : null
  return { traces: list, total: null, next, notes: [] }
}

const NEAREST = { nearestTool: 'search_traces' }
const PREVIEW = 280

function shortened(trace: Trace): Trace {
  const { context_text: text } = trace
  return text.length > PREVIEW ? { ...trace, context_text: `${text.slice(0, PREVIEW)}…` } : trace
}

/** Reads an answer of the tools of traces, which never fail, but report errors in fields. */
function sound<Answer>(answer: z.ZodType<Answer>): z.ZodType<Answer> {
  return z.preprocess((value) => {
    const { error, degraded, reason } = troubleAnswer.parse(value)
    if (error?.status === 404) throw new HttpError(404, 'NOT_FOUND', error.detail)
    if (error) throw new HttpError(502, 'UPSTREAM_ERROR', error.detail)
    if (degraded === true && reason !== undefined)
      throw new HttpError(502, 'SERVER_UNAVAILABLE', `The traces service: ${reason}`)
    return value
  }, answer)
}
