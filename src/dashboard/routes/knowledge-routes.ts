import { z } from 'zod'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { type BuiltinCalls, withBuiltin } from '../builtin-calls.ts'
import type { Job, KnowledgeState, Passage, Source } from '../contract/builtins.ts'
import { numberOf, objectOf, objectsOf, textOf, textsOf } from '../fields.ts'
import { agent, choice, limit, maybe, text } from '../inputs.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'

const STATES: Readonly<Record<string, Job['state']>> = {
  queued: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
}

export function knowledgeRoutes(sources: Sources): Route[] {
  return [
    defineRoute('GET /knowledge', {
      role: 'viewer',
      query: z.object({ agent }),
      answer: async ({ visitor, query }) =>
        withBuiltin('knowledge', { sources, visitor, agent: query.agent }, describe),
    }),
    defineRoute('GET /knowledge/sources', {
      role: 'viewer',
      query: z.object({
        agent,
        collection: maybe,
        status: choice(['pending', 'ingesting', 'complete', 'failed']),
        cursor: maybe,
        limit: limit(200, 50),
      }),
      answer: async ({ visitor, query }) =>
        withBuiltin('knowledge', { sources, visitor, agent: query.agent }, async (calls) => {
          const offset = Math.max(0, Math.trunc(Number(query.cursor ?? 0)) || 0)
          const { agent: _agent, cursor: _cursor, ...filter } = query
          const page = await calls.tool('knowledge_sources', { ...defined(filter), offset })
          const found = objectsOf(page, 'sources').map(toSource)
          const total = numberOf(page, 'total') ?? found.length
          const end = offset + found.length
          return { sources: found, total, next: end < total && found.length > 0 ? `${end}` : null }
        }),
    }),
    defineRoute('GET /knowledge/search', {
      role: 'viewer',
      query: z.object({ agent, q: text, collection: maybe, limit: limit(50, 10) }),
      answer: async ({ visitor, query }) =>
        withBuiltin('knowledge', { sources, visitor, agent: query.agent }, async (calls) => {
          const begun = performance.now()
          const { q, limit: n_results, collection } = query
          const answer = await calls.tool(
            'knowledge_search',
            defined({ query: q, n_results, collection, metadata: 'full' }),
          )
          const message = textOf(answer, 'message')
          return {
            results: objectsOf(answer, 'results').map(toPassage),
            notes: [...(message === null ? [] : [message]), ...textsOf(answer, 'suggestions')],
            tookMs: Math.round(performance.now() - begun),
          }
        }),
    }),
    defineRoute('POST /knowledge/ingest', {
      role: 'admin',
      body: z.object({
        agent,
        location: text,
        collection: maybe,
        title: maybe,
        depth: z.number().int().min(0).max(5).optional(),
      }),
      answer: async ({ visitor, body }) =>
        withBuiltin('knowledge', { sources, visitor, agent: body.agent }, async (calls) => {
          const { location, collection, title, depth } = body
          const queued = await calls.tool(
            'knowledge_ingest',
            defined({ url: location, collection, title, depth, background: true }),
          )
          const job_id = textOf(queued, 'job_id') ?? ''
          return { job: toJob(await calls.tool('knowledge_jobs', { job_id })) }
        }),
    }),
  ]
}

async function describe(calls: BuiltinCalls): Promise<KnowledgeState> {
  const stats = await calls.tool('knowledge_stats', {})
  const collections = await calls.tool('list_collections', {})
  const { jobs } = await calls.tool('knowledge_jobs', { limit: 20 })
  return {
    documents: numberOf(stats, 'documents') ?? 0,
    passages: numberOf(stats, 'total_chunks') ?? 0,
    tokens: numberOf(stats, 'total_tokens') ?? 0,
    collections: objectsOf(collections, 'collections').flatMap((one) => textOf(one, 'name') ?? []),
    embedder: textOf(objectOf(stats, 'config'), 'embedding_model'),
    jobs: (Array.isArray(jobs) ? jobs : []).filter(isObject).map(toJob),
  }
}

function toJob(job: JsonObject): Job {
  const state = STATES[textOf(job, 'status') ?? ''] ?? 'running'
  const errors = objectsOf(job, 'errors').map((one) =>
    [textOf(one, 'message'), textOf(one, 'suggestion')].filter((part) => part !== null).join('. '),
  )
  const over = state === 'done' || state === 'failed' || state === 'cancelled'
  return {
    id: textOf(job, 'job_id') ?? '',
    title: textsOf(job, 'targets').join(', '),
    state,
    done: numberOf(job, 'done') ?? 0,
    total: numberOf(job, 'total') || null,
    message: textOf(job, 'current'),
    error: errors.length > 0 ? errors.join('\n') : null,
    startedAt: textOf(job, 'created_at') ?? '',
    endedAt: over ? textOf(job, 'updated_at') : null,
  }
}

function toSource(row: JsonObject): Source {
  const status = row['status']
  const error = objectOf(row, 'error')
  return {
    id: textOf(row, 'id') ?? '',
    location: textOf(row, 'url') ?? '',
    title: textOf(row, 'title') ?? '',
    status:
      status === 'pending' || status === 'ingesting' || status === 'failed' ? status : 'complete',
    collection: textOf(row, 'collection') ?? '',
    format: textOf(row, 'format'),
    passages: numberOf(row, 'chunk_count') ?? 0,
    words: numberOf(row, 'word_count') ?? 0,
    updatedAt: textOf(row, 'updated_at') ?? '',
    error: textOf(error, 'message') ?? textOf(row, 'error'),
  }
}

function toPassage(result: JsonObject): Passage {
  const metadata = objectOf(result, 'metadata')
  const [page]: unknown[] = Array.isArray(metadata['page_numbers']) ? metadata['page_numbers'] : []
  return {
    id: textOf(metadata, 'chunk_id') ?? '',
    content: textOf(result, 'content') ?? '',
    score: numberOf(result, 'score') ?? 0,
    citation: textOf(result, 'citation') ?? '',
    title: textOf(result, 'document_title'),
    location: textOf(metadata, 'url'),
    clause: textOf(result, 'clause_number'),
    page: typeof page === 'number' ? page : null,
    kind: textOf(metadata, 'chunk_type'),
    normative: result['normative'] === true,
  }
}

/** Removes undefined parameters, which tools do not accept. */
function defined(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))
}
