import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { ResultRules, Service } from '../../protocol/service.ts'
import { VERSION } from '../../base/version.ts'
import { countSources } from '../../storage/knowledge/sources.ts'
import { type AnyTool, createService } from '../kit/create-service.ts'
import { type KnowledgeBase, type KnowledgeOptions, createKnowledgeBase } from './knowledge-base.ts'
import { KnowledgeError } from './knowledge-error.ts'
import { KNOWLEDGE_PROMPTS } from './prompts.ts'
import * as ingest from './tools/ingest-tools.ts'
import { knowledgeLookup } from './tools/lookup-tool.ts'
import * as search from './tools/search-tools.ts'
import * as sources from './tools/source-tools.ts'
import * as stats from './tools/stats-tools.ts'
import { failure } from './tools/tool-kit.ts'

const TOOLS: readonly AnyTool<KnowledgeBase>[] = [
  search.knowledgeSearch,
  stats.knowledgeStats,
  ingest.knowledgeIngest,
  sources.knowledgeSources,
  ingest.knowledgePreflight,
  ingest.knowledgeAcquire,
  ingest.knowledgeRequest,
  stats.listCollections,
  knowledgeLookup,
  search.knowledgeRequirements,
  search.knowledgeKeywordSearch,
  search.knowledgeRead,
  stats.knowledgeHealth,
  sources.knowledgeDelete,
  ingest.knowledgeJobs,
]

const INSTRUCTIONS =
  'Documents of the team, searchable with citations. knowledge_search answers most questions; quote its citation. knowledge_requirements gives only what binds, knowledge_lookup defines a term, knowledge_ingest adds a file, folder, repository or page.'

/** The knowledge base as an MCP server in this process. */
export function createKnowledgeService(options: KnowledgeOptions): Service {
  const base = createKnowledgeBase(options)
  // Starting the queue also resumes jobs that an ended process left behind.
  base.queue.start()
  return serviceOf(base)
}

export function serviceOf(base: KnowledgeBase): Service {
  const service = createService({
    name: 'knowledge-mcp',
    version: VERSION,
    instructions: INSTRUCTIONS,
    tools: TOOLS,
    prompts: KNOWLEDGE_PROMPTS,
    deps: base,
    isEmpty: async () => (await countSources(base.store.storage.db)) === 0,
    close: async () => base.close(),
  })
  return {
    ...service,
    rules: () => RULES,
    async handle(method, params, context) {
      if (method !== 'tools/call') return service.handle(method, params, context)
      try {
        return inJson(await service.handle(method, params, context))
      } catch (error) {
        if (!(error instanceof RpcError) || error.code !== RPC.invalidParams) throw error
        return refused(error.message)
      }
    },
  }
}

/** The body of every failure is JSON, also for arguments that the gateway refuses. */
const RULES: ResultRules = {
  closed: true,
  clamps: ['n_results'],
  refuse({ problems }) {
    const lacksQuery = problems.some(({ path, got }) => path === 'query' && got === 'nothing')
    if (lacksQuery && problems.length === 1) return refused('Query is required')
    const described = problems.map(({ path, expected, got, did_you_mean: meant }) => {
      const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`
      return `${path}: expected ${expected}, got ${got}${suggestion}`
    })
    return refused(`Invalid arguments: ${described.join('; ')}`, { problems })
  },
}

/** Converts a plain-text failure, which the kit returns when a tool's own schema fails, to JSON. */
function inJson(result: JsonObject): JsonObject {
  if (result['isError'] !== true || isObject(result['structuredContent'])) return result
  const [first] = Array.isArray(result['content']) ? result['content'] : []
  return refused(isObject(first) ? String(first['text']) : 'Invalid arguments')
}

function refused(message: string, details?: JsonObject): JsonObject {
  const output = failure(new KnowledgeError('invalid_input', message, { details }))
  if (typeof output === 'string' || 'raw' in output) throw new TypeError('A failure is structured')
  const { structured, text = '' } = output
  return {
    content: [{ type: 'text', text }],
    ...(isObject(structured) && { structuredContent: structured }),
    isError: true,
  }
}
