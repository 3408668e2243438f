import { GatewayError } from '../gateway/errors.ts'
import type { Service } from '../protocol/service.ts'
import type { ServerConfig } from '../config/servers.ts'
import type { Settings } from '../config/settings.ts'
import type { RedisClient } from '../replicas/redis/redis-client.ts'
import type { Storage } from '../storage/storage.ts'
import type { CallTally } from './call-tally.ts'

export interface ServiceHelp {
  /** Counts calls for an API that reports its health. */
  readonly tally?: CallTally | undefined
  /** The database that replicas share; a service that needs one opens its own otherwise. */
  readonly storage?: Storage | undefined
  /** Where replicas keep limits in common. */
  readonly redis?: RedisClient | undefined
  readonly dashboardUrl?: () => string | undefined
}

/** Opens the servers that live in this process; each is loaded only when it is first used. */
export async function openService(
  server: ServerConfig,
  settings: Settings,
  { tally, storage, redis, dashboardUrl }: ServiceHelp = {},
): Promise<Service> {
  if (server.kind === 'openapi') {
    const { openApi } = await import('./open-api.ts')
    return openApi(server, { home: settings.home, health: tally?.of(server.name) })
  }
  if (server.kind === 'builtin') {
    const { openBuiltin } = await import('./builtin-context.ts')
    return openBuiltin(server.builtin, {
      home: settings.home,
      env: process.env,
      storage,
      redis,
      dashboardUrl,
      options: server.extra,
    })
  }
  throw new GatewayError('SERVER_UNAVAILABLE', `Server unavailable: '${server.name}' is no service`)
}
