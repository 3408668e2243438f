import type { Config } from '../config/load.ts'
import type { ServerConfig } from '../config/servers.ts'
import { ResultCache } from '../gateway/result-cache.ts'
import type { Results } from '../gateway/results.ts'
import type { SharedRedis } from '../redis/shared-redis.ts'

type Servers = ReadonlyMap<string, ServerConfig>

/** Kept results outlive a reload, but for those of servers that are configured otherwise since. */
export function createKeptResults(
  { settings: { cache }, servers }: Config,
  redis: SharedRedis | undefined,
): (config: Config) => Results {
  let current: Servers = servers
  const scopeOf = (server: string) => JSON.stringify(current.get(server) ?? null)
  const results = redis?.results({ ...cache, scopeOf }) ?? new ResultCache(cache)
  return (config) => {
    const before = current
    current = config.servers
    for (const [name, server] of before) if (current.get(name) !== server) void results.forget(name)
    return results
  }
}
