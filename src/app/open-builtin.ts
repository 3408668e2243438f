import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import type { BuiltinServer } from '../config/servers.ts'
import { detectProject } from '../gateway/project.ts'
import type { CodeServiceOptions } from '../builtins/code/create-code-deps.ts'
import type { Service } from '../protocol/service.ts'
import { VERSION } from '../base/version.ts'
import { tracesUrl } from '../builtins/traces/service/service-url.ts'
import type { RedisClient } from '../replicas/redis/redis-client.ts'
import type { Storage } from '../storage/storage.ts'

export interface BuiltinOptions {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where it was started; the working directory by default. */
  readonly cwd?: string | undefined
  /** The database that replicas share: it stays open when the server is closed. */
  readonly storage?: Storage | undefined
  /** Where replicas keep limits in common. */
  readonly redis?: RedisClient | undefined
  /** Where the dashboard is served, once it is. */
  readonly dashboardUrl?: CodeServiceOptions['dashboardUrl']
  /** Whether code search indexes a project at its first search, instead of asking for `index_codebase`. */
  readonly autoIndex?: boolean | undefined
}

/** Opens a server that comes with Portolan; its code is loaded only then. */
export async function openBuiltin(
  builtin: BuiltinServer['builtin'],
  options: BuiltinOptions,
): Promise<Service> {
  if (builtin === 'code') return openCode(options)
  if (builtin === 'knowledge') return openKnowledge(options)
  return openTraces(options)
}

async function openCode(options: BuiltinOptions): Promise<Service> {
  const { home, env, cwd = process.cwd(), autoIndex, dashboardUrl } = options
  const { createCodeService } = await import('../builtins/code/create-code-service.ts')
  const clues = { roots: undefined, query: undefined, env, cwd, exists: existsSync }
  const { path: project } = detectProject(clues)
  return createCodeService({ home, env, autoIndex, project, version: VERSION, dashboardUrl })
}

async function openKnowledge({
  home,
  env,
  cwd = process.cwd(),
  storage,
}: BuiltinOptions): Promise<Service> {
  const [{ createKnowledgeService }, { knowledgeOptions }] = await Promise.all([
    import('../builtins/knowledge/create-knowledge-service.ts'),
    import('./open-knowledge.ts'),
  ])
  const options = await knowledgeOptions({ ...env, PORTOLAN_HOME: home }, storage)
  // An agent may add what lies in the project; `portolan ingest` is for everything else.
  const folders = env['PORTOLAN_KNOWLEDGE_FOLDERS']?.split(delimiter) ?? [cwd]
  const service = createKnowledgeService({ ...options, folders, version: VERSION })
  return storage ? service : closingAfter(service, async () => options.storage.close())
}

/** The traces of another installation where its address is given, those of the data folder otherwise. */
async function openTraces({ home, env, storage, redis }: BuiltinOptions): Promise<Service> {
  const [{ createTracesService }, { limitsFromEnv }] = await Promise.all([
    import('../builtins/traces/adapter/create-traces-service.ts'),
    import('../builtins/traces/adapter/limits-from-env.ts'),
  ])
  const limits = limitsFromEnv(env)
  const baseUrl = tracesUrl(env)
  const apiKey = env['COMMONTRACE_API_KEY']
  if (baseUrl !== undefined)
    return createTracesService({ ...limits, version: VERSION, baseUrl, apiKey })
  const { openEmbedded } = await import('./open-embedded-traces.ts')
  const embedded = await openEmbedded(
    { ...env, PORTOLAN_HOME: home },
    { background: true, storage, redis },
  )
  const service = createTracesService({
    ...limits,
    version: VERSION,
    fetch: embedded.traces.fetch,
    apiKey: apiKey ?? (await embedded.key()),
    operatorKey: embedded.operatorKey,
  })
  return closingAfter(service, async () => embedded.close())
}

function closingAfter(service: Service, close: () => Promise<void>): Service {
  return {
    ...service,
    async close() {
      await service.close()
      await close()
    },
  }
}
