import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type Environment, parseEnvironment } from '../base/environment.ts'
import { sharedServicesFrom } from '../config/shared-services.ts'
import {
  type KnowledgeBase,
  type KnowledgeOptions,
  createKnowledgeBase,
} from '../builtins/knowledge/knowledge-base.ts'
import { openJobs } from '../jobs/open-jobs.ts'
import { startThread } from '../builtins/kit/start-thread.ts'
import { DocumentThread } from '../builtins/knowledge/ingest/document-thread.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { embedderFrom } from './embedder-from.ts'

const qdrant = z.object({
  URL: z.url({ protocol: /^https?$/ }).optional(),
  API_KEY: z.string().optional(),
  COLLECTION: z.string().default('se_knowledge_base'),
})

/** What the knowledge base needs, from the environment. */
export async function knowledgeOptions(
  env: Environment = process.env,
  storage?: Storage,
): Promise<KnowledgeOptions> {
  const home = env['PORTOLAN_HOME'] ?? join(homedir(), '.portolan')
  const { countTokens } = await import('../shaping/tokens.ts')
  const opened = storage ?? (await openStorage({ home, ...sharedServicesFrom(env) }))
  return {
    storage: opened,
    jobs: async () => openJobs(opened),
    countTokens: (text) => countTokens(text, 'cl100k_base'),
    reader: new DocumentThread(startReader),
    home,
    embedder: embedderFrom(env, home),
    vectors: vectorsFrom(env),
    fetch: { allowedHosts: hostsFrom(env) },
  }
}

/** Private hosts that documents may be read from, as `host` or `host:port` between commas. */
function hostsFrom(env: Environment): string[] {
  const hosts = env['PORTOLAN_KNOWLEDGE_HOSTS']?.split(',') ?? []
  return hosts.map((host) => host.trim()).filter(Boolean)
}

export async function openKnowledge(env: Environment = process.env): Promise<KnowledgeBase> {
  const options = await knowledgeOptions(env)
  const base = createKnowledgeBase(options)
  return {
    ...base,
    async close() {
      await base.close()
      await options.storage.close()
    },
  }
}

/** What one document may take of memory: a bomb ends its thread and nothing else. */
const READER_MEMORY_MB = 1024

function startReader() {
  const resourceLimits = { maxOldGenerationSizeMb: READER_MEMORY_MB }
  return startThread('app/document-worker', { resourceLimits })
}

function vectorsFrom(env: Environment): KnowledgeOptions['vectors'] {
  const {
    URL: url,
    API_KEY: apiKey,
    COLLECTION: collection,
  } = parseEnvironment(qdrant, 'PORTOLAN_QDRANT_', env)
  return url === undefined ? undefined : { kind: 'qdrant', url, apiKey, collection }
}
