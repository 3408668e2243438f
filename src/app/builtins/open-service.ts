import { GatewayError } from '../../gateway/errors.ts'
import type { Service } from '../../protocol/service.ts'
import type { OpenApiServer, ServerConfig } from '../../config/servers/servers.ts'
import type { Environment } from '../../base/environment.ts'
import type { Workspace } from '../../config/paths.ts'
import type { Settings } from '../../config/settings/settings.ts'
import { packFolderOf } from '../../config/trust/trust-of.ts'
import type { RedisClient } from '../../replicas/redis/redis-client.ts'
import type { Storage } from '../../storage/storage.ts'
import type { OpenApiService } from '../../upstreams/openapi/create-openapi-service.ts'
import type { HealthSource } from '../../upstreams/openapi/call/service-metrics.ts'
import type { CallEvent } from '../../gateway/call.ts'
import type { Feed } from '../../telemetry/feed.ts'
import { getOrMake } from '../../base/maps.ts'

export interface ServiceHelp {
  /** The folder it works in, and the variables there; by default those of this process. */
  readonly cwd?: string
  readonly env?: Environment
  /** Counts calls for an API that reports its health. */
  readonly tally?: CallTally | undefined
  /** The database that replicas share; a service that needs one opens its own otherwise. */
  readonly storage?: Storage | undefined
  /** Holds the limits that replicas share. */
  readonly redis?: RedisClient | undefined
  readonly dashboardUrl?: () => string | undefined
  readonly warn?: (problem: string) => void
}

/**
 * Opens the servers that live in this process; each is loaded only when it is first used.
 *
 * @example A server of your own in place of a built-in:
 * ```ts
 * createApp({
 *   log,
 *   watch,
 *   openService: async (server, settings) =>
 *     server.name === 'code' ? myCodeSearch : openService(server, settings),
 * })
 * ```
 */
export async function openService(
  server: ServerConfig,
  settings: Settings,
  help: ServiceHelp = {},
): Promise<Service> {
  const { cwd = process.cwd(), env = process.env } = help
  const { tally, storage, redis, dashboardUrl, warn } = help
  if (server.kind === 'openapi') {
    return openApi(server, {
      home: settings.home,
      place: { cwd, env },
      health: tally?.of(server.name),
    })
  }
  if (server.kind === 'builtin') {
    const { openBuiltin, withSection } = await import('./builtin-context.ts')
    return openBuiltin(server.builtin, {
      home: settings.home,
      env: withSection(server.builtin, settings, env),
      cwd,
      storage,
      redis,
      dashboardUrl,
      options: server.extra,
      embedding: settings.embedding,
      warn,
    })
  }
  throw new GatewayError(
    'SERVER_UNAVAILABLE',
    `Server unavailable: '${server.name}' does not run in this process`,
  )
}

/** Opens the API of an `openapi` entry, which the other keys of the entry configure. */
async function openApi(
  { name, openapi, sha256, extra, timeoutMs }: OpenApiServer,
  { home, place, health }: { home: string; place: Workspace; health: HealthSource | undefined },
): Promise<OpenApiService> {
  const [{ loadApi }, { SpecError }, { MAX_NAME }] = await Promise.all([
    import('../../upstreams/openapi/load/load-api.ts'),
    import('../../upstreams/openapi/spec/spec-error.ts'),
    import('../../upstreams/openapi/tools/tool-name.ts'),
  ])
  const loading = loadApi(openapi, {
    home,
    folder: packFolderOf(place),
    env: place.env,
    health,
    sha256,
    // The direct surface shows `server__tool`, and clients cut or refuse longer names.
    nameLimit: MAX_NAME - name.length - '__'.length,
    config: { ...extra, name, ...(timeoutMs !== undefined && { timeoutMs }) },
  })
  return loading.catch((error: unknown) => {
    if (!(error instanceof SpecError)) throw error
    throw new GatewayError('SERVER_UNAVAILABLE', error.message, { hint: error.hint, cause: error })
  })
}

interface Counts {
  hits: number
  misses: number
  summaries: number
  reductionPctSum: number
  refused: number
}

/** Counts per server what only the gateway's layers see, for servers that report their health. */
export class CallTally {
  readonly #counts = new Map<string, Counts>()

  /** Counts every call from now on. */
  follow(feed: Pick<Feed, 'listen'>): void {
    feed.listen((event) => this.#record(event))
  }

  /** Returns the counts of a server, which is counted from now on: callers may name any other. */
  of(server: string): HealthSource {
    const counts = this.#of(server)
    return {
      cache: () => counts,
      summaries: () => {
        const { summaries: count, reductionPctSum } = counts
        return { count, averageReductionPct: count === 0 ? null : reductionPctSum / count }
      },
      refusals: () => counts.refused,
    }
  }

  #of(server: string): Counts {
    return getOrMake(this.#counts, server, () => ({
      hits: 0,
      misses: 0,
      summaries: 0,
      reductionPctSum: 0,
      refused: 0,
    }))
  }

  #record({ server, cache, outcome, tokenCount, tokensSaved = 0 }: Readonly<CallEvent>): void {
    const counts = this.#counts.get(server ?? '')
    if (counts === undefined) return
    if (cache === 'hit') counts.hits++
    if (cache === 'miss') counts.misses++
    if (outcome === 'INVALID_PARAMS') counts.refused++
    if (tokensSaved > 0 && tokenCount !== undefined) {
      counts.summaries++
      counts.reductionPctSum += (100 * tokensSaved) / (tokensSaved + tokenCount)
    }
  }
}
