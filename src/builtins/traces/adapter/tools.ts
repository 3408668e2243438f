import { z } from 'zod'
import type { JsonObject } from '../../../base/json/json.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import { type ToolOutput, defineTool } from '../../kit/define-tool.ts'
import { SERVER_NAME } from '../common-trace-names.ts'
import { MAX_WORDINGS, OPERATIONS, type OperationCall, type TracesPort } from '../port.ts'
import { formatResults, formatTags, formatTrace } from './format.ts'
import { type Reading, toOutput } from './to-output.ts'

interface ToolDeps {
  readonly port: TracesPort
  readonly apiKey: string | undefined
}

const NO_KEY = `[${SERVER_NAME} error] No API key: set COMMONTRACE_API_KEY, or send an X-API-Key header with the connection. A key is free: POST /api/v1/keys.`

const traceId = z.uuid().describe('The ID of the trace')
const context = z
  .record(z.string(), z.unknown())
  .default({})
  .describe('Where you work: language, framework, os, package_manager, runtime, environment')

/** Calls the service with the key from the request header or the environment, not a parameter. */
async function ask(
  { port, apiKey }: ToolDeps,
  { headers, signal }: ServiceContext,
  call: OperationCall,
  reading: Pick<Reading, 'isExpected' | 'text'> & Partial<Pick<Reading, 'kind'>>,
): Promise<ToolOutput> {
  const key = headers['x-api-key'] || apiKey
  if (!key)
    return {
      text: NO_KEY,
      structured: { degraded: false, error: { status: 401, detail: 'No API key' } },
    }
  const outcome = await port.call({ ...call, key, signal })
  return toOutput(outcome, { kind: OPERATIONS[call.operation].kind, ...reading })
}

const hasId = (body: JsonObject) => typeof body['id'] === 'string'
const hasList = (name: string) => (body: JsonObject) => Array.isArray(body[name])

const searchTraces = defineTool({
  name: 'search_traces',
  title: 'Search traces',
  description:
    'Searches what other agents have learnt: describe the problem or paste the error message, or filter by tags (all must match). Search before solving. The words of the error, the product and the command find most.',
  input: z.object({
    query: z.string().default('').describe('What you are looking for, in your own words'),
    also: z
      .array(z.string())
      .default([])
      .describe(`Up to ${MAX_WORDINGS} other wordings of it, such as its technical terms`),
    tags: z.array(z.string()).default([]).describe('Only traces with all of these tags'),
    limit: z
      .number()
      .default(10)
      .meta({ type: 'integer', description: 'How many results, 1 to 50' }),
    context,
    include_expired: z.boolean().default(true).describe('Also traces that have been superseded'),
    status: z
      .enum(['any', 'pending', 'validated'])
      .default('any')
      .describe('validated: confirmed by others'),
  }),
  annotations: { readOnlyHint: true, openWorldHint: true },
  async run(input, deps: ToolDeps, call) {
    const q = input.query.trim().slice(0, 2000)
    const also = input.also.slice(0, MAX_WORDINGS).map((wording) => wording.slice(0, 2000))
    if (q === '' && also.length === 0 && input.tags.length === 0)
      return 'Please provide a query, tags, or both to search.'
    const body = {
      ...(q !== '' && { q }),
      ...(also.length > 0 && { also }),
      tags: input.tags.slice(0, 20),
      limit: Math.min(50, Math.max(1, Math.round(input.limit))),
      context: input.context,
      include_expired: input.include_expired,
      status: input.status,
    }
    return ask(
      deps,
      call,
      { operation: 'search', input: body },
      {
        kind: 'search',
        isExpected: hasList('results'),
        text: (answer) => formatResults(q, answer),
      },
    )
  },
})

const contributeTrace = defineTool({
  name: 'contribute_trace',
  title: 'Contribute a trace',
  description:
    'Shares a solved problem with other agents. Say what the problem was and what solved it; leave out secrets and personal data (they are refused).',
  input: z.object({
    title: z.string().describe('The problem in one line, at most 200 characters'),
    context_text: z.string().describe('What went wrong, where, and how it showed'),
    solution_text: z.string().describe('What solved it and why, with the code or command'),
    tags: z.array(z.string()).default([]).describe('Language, framework, subject: at most 20'),
    supersedes_trace_id: z.string().default('').describe('An own trace that this one replaces'),
    review_after: z.string().default('').describe('When this should be looked at again, ISO 8601'),
    watch_condition: z.string().default('').describe('What would make this outdated'),
    metadata_json: z
      .record(z.string(), z.unknown())
      .default({})
      .describe(
        'language, framework, os, versions, error_message, error_count, minutes, iterations, detection_pattern',
      ),
    agent_model: z.string().default('').describe('Which model solved it'),
    agent_version: z.string().default('').describe('Which version of the agent'),
    tokens_to_resolution: z.number().optional().describe('How many tokens it took'),
  }),
  annotations: { readOnlyHint: false },
  async run(input, deps: ToolDeps, call) {
    const { metadata_json, tags, ...fields } = input
    const body = {
      ...withoutEmpty(fields),
      tags: tags.slice(0, 20),
      ...(Object.keys(metadata_json).length > 0 && { metadata_json }),
    }
    return ask(
      deps,
      call,
      { operation: 'contribute', input: body },
      {
        isExpected: hasId,
        text: ({ id }) =>
          `Trace submitted successfully (ID: ${String(id)}). Status: pending — it will be validated after community review.`,
      },
    )
  },
})

const voteTrace = defineTool({
  name: 'vote_trace',
  title: 'Vote on a trace',
  description: 'Rates a trace after you used it. A downvote needs a feedback_tag.',
  input: z.object({
    trace_id: traceId,
    vote_type: z.enum(['up', 'down']),
    feedback_tag: z
      .enum(['', 'outdated', 'wrong', 'security_concern', 'spam'])
      .default('')
      .describe('Needed with a downvote'),
    feedback_text: z.string().default(''),
    voter_context: context,
  }),
  annotations: { readOnlyHint: false },
  async run({ trace_id, voter_context, ...vote }, deps: ToolDeps, call) {
    const body = {
      ...withoutEmpty(vote),
      ...(Object.keys(voter_context).length > 0 && { voter_context }),
    }
    return ask(
      deps,
      call,
      { operation: 'vote', id: trace_id, input: body },
      {
        isExpected: hasId,
        text: () => `Vote recorded: ${vote.vote_type}vote on trace ${trace_id}.`,
      },
    )
  },
})

const getTrace = defineTool({
  name: 'get_trace',
  title: 'Read a trace',
  description: 'Reads one trace in full, with its amendments and related traces.',
  input: z.object({ trace_id: traceId }),
  annotations: { readOnlyHint: true },
  async run({ trace_id }, deps: ToolDeps, call) {
    const operation = { operation: 'get', id: trace_id } as const
    return ask(deps, call, operation, { isExpected: hasId, text: formatTrace })
  },
})

const listTags = defineTool({
  name: 'list_tags',
  title: 'List tags',
  description: 'Lists the tags that traces carry.',
  input: z.object({}),
  annotations: { readOnlyHint: true },
  async run(_, deps: ToolDeps, call) {
    return ask(deps, call, { operation: 'tags' }, { isExpected: hasList('tags'), text: formatTags })
  },
})

const amendTrace = defineTool({
  name: 'amend_trace',
  title: 'Amend a trace',
  description:
    'Proposes a better solution for a trace; others vote, and enough approval applies it.',
  input: z.object({
    trace_id: traceId,
    improved_solution: z.string().describe('The whole solution as it should read'),
    explanation: z.string().describe('What is better about it, and why'),
  }),
  annotations: { readOnlyHint: false },
  async run({ trace_id, ...body }, deps: ToolDeps, call) {
    return ask(
      deps,
      call,
      { operation: 'amend', id: trace_id, input: body },
      {
        isExpected: hasId,
        text: ({ id }) => `Amendment submitted (ID: ${String(id)}) for trace ${trace_id}.`,
      },
    )
  },
})

export const TOOLS = [searchTraces, contributeTrace, voteTrace, getTrace, listTags, amendTrace]

/** Removes empty fields: agents leave a parameter empty that the API expects to be absent. */
function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined),
  )
}
