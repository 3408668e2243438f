import { z } from 'zod'
import { indexesAnswer, indexingAnswer, searchAnswer } from '../../builtins/code/answers.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { type BuiltinCalls, withBuiltin } from '../builtin-calls.ts'
import type { CodeResults } from '../contract/builtins.ts'
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
          indexes: (await calls.tool('list_indexes', {}, indexesAnswer)).result,
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
        withBuiltin('code', { sources, visitor, agent: query.agent }, async (calls) => {
          const { q, limit: most, index: index_name, mode, language } = query
          const args = { query: q, limit: most, include_deps: false, index_name, mode, language }
          return search(calls, args)
        }),
    }),
    defineRoute('POST /code/index', {
      role: 'admin',
      body: z.object({ agent, path: text, indexName: maybe }),
      answer: async ({ visitor, body }) =>
        withBuiltin('code', { sources, visitor, agent: body.agent }, async (calls) => {
          // Fails at once if the agent may not use the server, instead of in a failed job.
          await calls.tool('list_indexes', {}, indexesAnswer)
          const { path = '', indexName } = body
          return { job_id: startIndexing(jobs, calls, path, indexName) }
        }),
    }),
  ]
}

const progress = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
})

function startIndexing(
  jobs: Jobs,
  calls: BuiltinCalls,
  path: string,
  index_name: string | undefined,
): string {
  return jobs.start(path, async (report) => {
    const answer = await calls.tool('index_codebase', { path, index_name }, indexingAnswer, {
      onProgress(news) {
        const { progress: done, total = 0, message = null } = progress.parse(news)
        report({ done, total, current: message })
      },
    })
    const { success, error, message, index_name: name, total_files: files, stats } = answer
    if (success !== true) throw new Error(error ?? message ?? 'The folder was not indexed')
    if (files === undefined || !stats) return message ?? ''
    report({ done: files, total: files, current: null })
    return `${files} files in index ${name}: ${stats.files_added} added, ${stats.files_updated} updated`
  })
}

async function search(calls: BuiltinCalls, args: JsonObject): Promise<CodeResults> {
  const begun = performance.now()
  const { result } = await calls.tool('search_code', args, searchAnswer)
  for (const item of result) if ('error' in item) throw toHttpError(item)
  const notes = result.filter((item) => 'type' in item)
  return {
    searched: notes.find(({ type }) => type === 'search_context')?.searching ?? null,
    results: result.filter((item) => 'file_path' in item),
    notes: notes.flatMap(({ type, warning, message }) =>
      type === 'search_context' || (message !== undefined && FOR_AGENTS.test(message))
        ? []
        : [warning, message].filter((part) => part !== undefined).join(': '),
    ),
    tookMs: Math.round(performance.now() - begun),
  }
}

/** Advice to agents on how to name the project. */
const FOR_AGENTS = /^The project was chosen/

function toHttpError({ error, message }: { error: string; message: string }): HttpError {
  const code = error.toUpperCase().replaceAll(/\W+/g, '_')
  const hint = 'Index the folder first, or choose another index.'
  return new HttpError(422, code, message, hint)
}
