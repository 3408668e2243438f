import { z } from 'zod'
import {
  collectionsAnswer,
  deleteAnswer,
  ingestAnswer,
  jobsAnswer,
  readAnswer,
  searchAnswer,
  sourcesAnswer,
  statsAnswer,
} from '../../builtins/knowledge/answers.ts'
import { HttpError } from '../../http/http-error.ts'
import { type BuiltinCalls, withBuiltin } from '../builtin-calls.ts'
import type { KnowledgeState } from '../contract/builtins.ts'
import { agent, choice, limit, maybe, nextOffset, offsetOf, text } from '../inputs.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'

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
          const { agent: _, cursor, ...filter } = query
          const offset = offsetOf(cursor)
          const page = await calls.tool('knowledge_sources', { ...filter, offset }, sourcesAnswer)
          return { ...page, next: nextOffset(offset, page.sources.length, page.total) }
        }),
    }),
    defineRoute('GET /knowledge/search', {
      role: 'viewer',
      query: z.object({ agent, q: text, collection: maybe, limit: limit(50, 10) }),
      answer: async ({ visitor, query }) =>
        withBuiltin('knowledge', { sources, visitor, agent: query.agent }, async (calls) => {
          const begun = performance.now()
          const { q, limit: n_results, collection } = query
          // A page has room for every passage.
          const whole = { metadata: 'full', max_tokens: 1_000_000 }
          const args = { query: q, n_results, collection, ...whole }
          const answer = await calls.tool('knowledge_search', args, searchAnswer)
          const { results, message, suggestions = [] } = answer
          return {
            results,
            notes: [...(message === undefined ? [] : [message]), ...suggestions],
            tookMs: Math.round(performance.now() - begun),
          }
        }),
    }),
    defineRoute('GET /knowledge/read', {
      role: 'viewer',
      query: z.object({
        agent,
        chunk: text,
        around: z.coerce.number().int().min(0).max(5).default(2),
      }),
      answer: async ({ visitor, query }) =>
        withBuiltin('knowledge', { sources, visitor, agent: query.agent }, async (calls) => {
          const args = { chunk_ids: [query.chunk], neighbours: query.around }
          const { results, message } = await calls.tool('knowledge_read', args, readAnswer)
          const [found] = results
          if (!found) throw new HttpError(404, 'NOT_FOUND', message ?? 'This passage is gone')
          const { neighbours = [], ...passage } = found
          const all = new Map([...neighbours, passage].map((each) => [each.chunk_id, each]))
          return { passages: [...all.values()].toSorted((a, b) => a.position - b.position) }
        }),
    }),
    defineRoute('POST /knowledge/delete', {
      role: 'admin',
      body: z.object({ agent, source: text }),
      answer: async ({ visitor, body }) =>
        withBuiltin('knowledge', { sources, visitor, agent: body.agent }, async (calls) => {
          const args = { source_id: body.source }
          return calls.tool('knowledge_delete', args, deleteAnswer)
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
          const { location: url, collection, title, depth } = body
          const args = { url, collection, title, depth, background: true }
          return calls.tool('knowledge_ingest', args, ingestAnswer)
        }),
    }),
  ]
}

async function describe(calls: BuiltinCalls): Promise<KnowledgeState> {
  const stats = await calls.tool('knowledge_stats', {}, statsAnswer)
  const { collections } = await calls.tool('list_collections', {}, collectionsAnswer)
  const answer = await calls.tool('knowledge_jobs', { limit: 20 }, jobsAnswer)
  return {
    ...stats,
    collections: collections.map(({ name }) => name),
    jobs: 'jobs' in answer ? answer.jobs : [answer],
  }
}
