import { z } from 'zod'
import type { JsonObject } from '../../base/json/json.ts'
import { type BuiltinCalls, withBuiltin } from '../builtin-calls.ts'
import type { CodeHit, CodeIndex, CodeResults, Job } from '../contract/builtins.ts'
import { numberOf, objectOf, objectsOf, textOf } from '../fields.ts'
import { agent, choice, limit, maybe, text } from '../inputs.ts'
import { Jobs } from '../jobs.ts'
import { HttpError } from '../../http/http-error.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'

export function codeRoutes(sources: Sources): Route[] {
  const jobs = new Jobs()
  return [
    defineRoute('GET /code', {
      role: 'viewer',
      query: z.object({ agent }),
      answer: async ({ visitor, query }) =>
        withBuiltin('code', { sources, visitor, agent: query.agent }, async (calls) => ({
          indexes: objectsOf(await calls.tool('list_indexes', {}), 'result').map(toIndex),
          jobs: jobs.list(),
        })),
    }),
    defineRoute('GET /code/search', {
      role: 'viewer',
      query: z.object({
        agent,
        q: text,
        index: maybe,
        mode: choice(['ranked', 'exact', 'regex']),
        language: maybe,
        limit: limit(50, 10),
      }),
      answer: async ({ visitor, query }) =>
        withBuiltin('code', { sources, visitor, agent: query.agent }, async (calls) =>
          search(calls, {
            query: query.q,
            limit: query.limit,
            include_deps: false,
            ...(query.index !== undefined && { index_name: query.index }),
            ...(query.mode !== undefined && { mode: query.mode }),
            ...(query.language !== undefined && { language: query.language }),
          }),
        ),
    }),
    defineRoute('POST /code/index', {
      role: 'admin',
      body: z.object({ agent, path: text, indexName: maybe }),
      answer: async ({ visitor, body }) =>
        withBuiltin('code', { sources, visitor, agent: body.agent }, async (calls) => {
          // Fails at once if the agent may not use the server, instead of in a failed job.
          await calls.tool('list_indexes', {})
          return { job: startIndexing(jobs, calls, body.path ?? '', body.indexName) }
        }),
    }),
  ]
}

function startIndexing(
  jobs: Jobs,
  calls: BuiltinCalls,
  path: string,
  indexName: string | undefined,
): Job {
  return jobs.start(`Index ${path}`, async (report) => {
    const answer = await calls.tool(
      'index_codebase',
      { path, ...(indexName !== undefined && { index_name: indexName }) },
      {
        onProgress: (news) =>
          report({
            done: numberOf(news, 'progress') ?? 0,
            total: numberOf(news, 'total'),
            message: textOf(news, 'message'),
          }),
      },
    )
    const failure = textOf(answer, 'error') ?? textOf(answer, 'message')
    if (answer['success'] !== true) throw new Error(failure ?? 'It was not indexed')
    const files = numberOf(answer, 'total_files') ?? 0
    const { files_added: added = 0, files_updated: updated = 0 } = objectOf(answer, 'stats')
    report({ done: files, total: files, message: null })
    return `${files} files in index ${textOf(answer, 'index_name') ?? ''}: ${String(added)} added, ${String(updated)} updated`
  })
}

async function search(calls: BuiltinCalls, args: JsonObject): Promise<CodeResults> {
  const begun = performance.now()
  const items = objectsOf(await calls.tool('search_code', args), 'result')
  const [failure] = items.filter((item) => typeof item['error'] === 'string')
  if (failure)
    throw new HttpError(
      422,
      String(failure['error']).toUpperCase().replaceAll(/\W+/g, '_'),
      textOf(failure, 'message') ?? String(failure['error']),
      'Index the folder first, or choose another index.',
    )
  const context = items.find((item) => item['type'] === 'search_context')
  return {
    searched: context
      ? { path: textOf(context, 'searching') ?? '', index: textOf(context, 'index_name') }
      : null,
    results: items.filter((item) => typeof item['file_path'] === 'string').map(toHit),
    notes: items.flatMap(toNote),
    tookMs: Math.round(performance.now() - begun),
  }
}

/** Advice to agents on how to name the project. */
const FOR_AGENTS = /^The project was chosen/

function toNote(item: JsonObject): string[] {
  const { type } = item
  if (type === undefined || type === 'search_context') return []
  if (FOR_AGENTS.test(textOf(item, 'message') ?? '')) return []
  const parts = [textOf(item, 'warning'), textOf(item, 'message')]
  return [parts.filter((part) => part !== null).join(': ')].filter((note) => note !== '')
}

function toHit(item: JsonObject): CodeHit {
  const type = textOf(item, 'symbol_type')
  const name = textOf(item, 'symbol_name')
  const match = item['match_type']
  return {
    file: textOf(item, 'file_path') ?? '',
    startLine: numberOf(item, 'start_line') ?? 1,
    endLine: numberOf(item, 'end_line') ?? 1,
    score: numberOf(item, 'score') ?? 0,
    content: textOf(item, 'content') ?? '',
    language: textOf(item, 'language_id') ?? '',
    symbol: type !== null && name !== null ? { type, name } : null,
    match: match === 'semantic' || match === 'both' ? match : 'keyword',
    index: textOf(item, 'index_name'),
  }
}

function toIndex(item: JsonObject): CodeIndex {
  return {
    name: textOf(item, 'name') ?? '',
    path: textOf(item, 'source_path') ?? '',
    files: numberOf(item, 'file_count') ?? 0,
    updatedAt: textOf(item, 'updated_at'),
  }
}
