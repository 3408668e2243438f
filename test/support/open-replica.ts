import { type App, createApp } from '../../src/app/app.ts'
import { serveHttp } from '../../src/app/serve.ts'
import { ALONE } from '../../src/app/shared.ts'
import { watchConfig } from '../../src/config/reload/watch.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createSharedRedis } from '../../src/replicas/redis/shared-redis.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { gatewayEnv } from './gateway.ts'
import { openReadyRedis } from './open-ready-redis.ts'
import { type Later, tempFolder } from './temp-folder.ts'

export interface Replica {
  readonly url: string
  readonly app: App
  /** Ends like a process that dies, without notifying others. */
  die(): Promise<void>
}

/** Opens a gateway in this process, on its own port, that may share a Redis with others. */
export async function openReplica(
  config: {
    readonly servers: JsonObject
    readonly redisUrl?: string
    readonly settings?: JsonObject
    /** The data folder, if replicas share one. */
    readonly home?: string
    /** What replicas without a data folder or a database have in common. */
    readonly secretKey?: string
  },
  later?: Later,
): Promise<Replica> {
  const folder = tempFolder(later)
  folder.write('.mcp.json', { mcpServers: config.servers })
  folder.write('portolan.yaml', { ...config.settings, listen: { port: 0 } })
  const own = {
    ...(config.home !== undefined && { PORTOLAN_HOME: config.home }),
    ...(config.secretKey !== undefined && { PORTOLAN_SECRET_KEY: config.secretKey }),
  }
  const place = { cwd: folder.path, env: gatewayEnv(folder, own) }
  const redis = config.redisUrl === undefined ? undefined : await openReadyRedis(config.redisUrl)
  const app = createApp({
    ...place,
    watch: (listeners) => watchConfig(place, listeners),
    log: createLog({ level: 'error' }),
    openService: async () => Promise.reject(new Error('no built-in here')),
    shared: redis
      ? { ...ALONE, redis: createSharedRedis(redis), close: async () => redis.close() }
      : ALONE,
  })
  const server = await serveHttp(app, { surface: undefined })
  let ended: Promise<void> | undefined
  const die = async () => {
    redis?.close()
    ended ??= server.close()
    await ended
    // Not awaited, because it waits for calls in flight, as a process that dies does not.
    void app.close()
  }
  later?.(die)
  return { url: `http://127.0.0.1:${server.port}`, app, die }
}
