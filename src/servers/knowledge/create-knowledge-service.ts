import { type JsonObject, RPC, RpcError, isObject } from '../../protocol/json-rpc.ts'
import type { Service } from '../../protocol/service.ts'
import { VERSION } from '../../protocol/version.ts'
import { type AnyTool, createService } from '../kit/create-service.ts'
import { type KnowledgeBase, type KnowledgeOptions, createKnowledgeBase } from './knowledge-base.ts'
import { KnowledgeError } from './knowledge-error.ts'
import * as analysis from './tools/analysis-tools.ts'
import * as ingest from './tools/ingest-tools.ts'
import { knowledgeLookup } from './tools/lookup-tool.ts'
import * as search from './tools/search-tools.ts'
import * as sources from './tools/source-tools.ts'
import * as stats from './tools/stats-tools.ts'
import { failure } from './tools/tool-kit.ts'

export interface KnowledgeServiceOptions extends KnowledgeOptions {
  readonly version?: string
}

const TOOLS: readonly AnyTool<KnowledgeBase>[] = [
  search.knowledgeSearch,
  stats.knowledgeStats,
  ingest.knowledgeIngest,
  sources.knowledgeSources,
  analysis.knowledgeAssess,
  ingest.knowledgePreflight,
  ingest.knowledgeAcquire,
  ingest.knowledgeRequest,
  analysis.knowledgeRcca,
  analysis.knowledgeTrade,
  analysis.knowledgeExplore,
  analysis.knowledgePlan,
  stats.listCollections,
  knowledgeLookup,
  search.knowledgeRequirements,
  search.knowledgeKeywordSearch,
  stats.knowledgeHealth,
  sources.knowledgeDelete,
  ingest.knowledgeJobs,
]

const INSTRUCTIONS =
  'Documents of the team, searchable with citations. knowledge_search answers most questions; quote its citation. knowledge_requirements gives only what binds, knowledge_lookup defines a term, knowledge_ingest adds a file, folder, repository or page.'

/** The knowledge base as an MCP server in this process. */
export function createKnowledgeService(options: KnowledgeServiceOptions): Service {
  const base = createKnowledgeBase(options)
  // Jobs that a process left behind are taken up as soon as a server of this kind is there.
  base.queue.start()
  return serviceOf(base, options.version)
}

export function serviceOf(base: KnowledgeBase, version = VERSION): Service {
  const service = createService({
    name: 'knowledge-mcp',
    version,
    instructions: INSTRUCTIONS,
    tools: TOOLS,
    deps: base,
    close: async () => base.close(),
  })
  return {
    ...service,
    async handle(method, params, context) {
      if (method !== 'tools/call') return service.handle(method, params, context)
      try {
        return inJson(await service.handle(method, params, context), params)
      } catch (error) {
        if (!(error instanceof RpcError) || error.code !== RPC.invalidParams) throw error
        return refused(error.message)
      }
    },
  }
}

/** The kit tells wrong arguments as plain text; here the body of every failure is JSON. */
function inJson(result: JsonObject, params: JsonObject): JsonObject {
  if (result['isError'] !== true || isObject(result['structuredContent'])) return result
  const [first] = Array.isArray(result['content']) ? result['content'] : []
  const text = isObject(first) ? String(first['text']) : 'Invalid arguments'
  const given = isObject(params['arguments']) ? params['arguments'] : {}
  const lacksQuery = text.startsWith('Invalid arguments: query:') && given['query'] === undefined
  return refused(lacksQuery ? 'Query is required' : text)
}

function refused(message: string): JsonObject {
  const output = failure(new KnowledgeError('invalid_input', message))
  if (typeof output === 'string' || 'raw' in output) throw new TypeError('A failure is structured')
  const { structured, text = '' } = output
  return {
    content: [{ type: 'text', text }],
    ...(isObject(structured) && { structuredContent: structured }),
    isError: true,
  }
}
