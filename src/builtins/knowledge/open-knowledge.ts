import type { Environment } from '../../base/environment.ts'
import { readSettings } from '../../base/setting-table.ts'
import { openJobs } from '../../jobs/open-jobs.ts'
import type { Service } from '../../protocol/service.ts'
import { countTokens } from '../../shaping/tokens.ts'
import type { BuiltinContext } from '../kit/define-builtin.ts'
import { startProcess } from '../../base/flow/start-process.ts'
import { createKnowledgeService } from './create-knowledge-service.ts'
import { DocumentProcess } from './ingest/document-process.ts'
import { type KnowledgeBase, type KnowledgeOptions, createKnowledgeBase } from './knowledge-base.ts'
import { KNOWLEDGE_SETTINGS } from './settings.ts'

/** Opens the knowledge base as an MCP server. */
export async function openKnowledgeService(context: BuiltinContext): Promise<Service> {
  const { env, cwd } = context
  const options = await knowledgeOptions(context)
  // Agents may add files of the project only; `portolan ingest` accepts any others.
  const { folders = [cwd] } = settingsFrom(env)
  const service = createKnowledgeService({ ...options, folders })
  return { ...withStorage(service, options), check: async () => options.storage.ping() }
}

/** Opens the knowledge base without its tools. */
export async function openKnowledge(context: BuiltinContext): Promise<KnowledgeBase> {
  const options = await knowledgeOptions(context)
  return withStorage(createKnowledgeBase(options), options)
}

async function knowledgeOptions(context: BuiltinContext): Promise<KnowledgeOptions> {
  const { env, home } = context
  const settings = settingsFrom(env)
  const storage = await context.openStorage()
  const vectors = vectorsFrom(settings)
  return {
    storage,
    jobs: async () => openJobs(storage),
    countTokens: (text) => countTokens(text),
    reader: new DocumentProcess(startReader),
    home,
    embedder: await context.embedder(vectors ? undefined : storage),
    modelProblem: context.modelProblem(),
    vectors,
    fetch: { allowedHosts: settings.hosts },
  }
}

/** Makes `close` also close the database, after its user. */
function withStorage<Value extends { close(): Promise<void> }>(
  value: Value,
  { storage }: KnowledgeOptions,
): Value {
  return {
    ...value,
    async close() {
      await value.close()
      await storage.close()
    },
  }
}

function settingsFrom(env: Environment) {
  return readSettings(KNOWLEDGE_SETTINGS, 'knowledge', env)
}

/** The memory limit for reading a document; exceeding it ends only the process that reads it. */
const READER_MEMORY_MB = 1024

function startReader() {
  return startProcess('builtins/knowledge/ingest/document-worker', { memoryMb: READER_MEMORY_MB })
}

function vectorsFrom({
  qdrantUrl: url,
  qdrantApiKey: apiKey,
  qdrantCollection: collection,
}: ReturnType<typeof settingsFrom>): KnowledgeOptions['vectors'] {
  return url === undefined ? undefined : { kind: 'qdrant', url, apiKey, collection }
}
