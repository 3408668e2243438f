import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../base/environment.ts'
import { sharedServicesFrom } from '../config/shared-services.ts'
import { embedderFrom } from './embedder-from.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { RedisClient } from '../replicas/redis/redis-client.ts'
import { createRedisRateLimits } from '../replicas/redis/redis-rate-limits.ts'
import type { Storage } from '../storage/storage.ts'
import { RateLimiter } from '../builtins/traces/service/http/rate-limiter.ts'
import { localKey } from '../builtins/traces/service/local-account.ts'
import { makeModerator } from '../builtins/traces/service/make-moderator.ts'
import { type Traces, openTraces } from '../builtins/traces/service/open-traces.ts'
import { parseTracesSettings } from '../builtins/traces/service/settings.ts'

export interface Embedded {
  readonly traces: Traces
  readonly storage: Storage
  /** The key of this folder's own account, made on first use. */
  key(): Promise<string>
  /** The key of an account that moderates: whoever owns the data folder, apart from the agents. */
  readonly operatorKey: () => Promise<string>
  close(): Promise<void>
}

export interface EmbeddedOptions {
  readonly background?: boolean
  /** The database that replicas share: it stays open when the service is closed. */
  readonly storage?: Storage | undefined
  /** Where replicas keep limits in common. */
  readonly redis?: RedisClient | undefined
}

/** The whole service in this process, over the data folder or PORTOLAN_DATABASE_URL. */
export async function openEmbedded(
  env: Environment,
  { background = false, storage: shared, redis }: EmbeddedOptions = {},
): Promise<Embedded> {
  const home = env['PORTOLAN_HOME'] ?? join(homedir(), '.portolan')
  const storage = shared ?? (await openStorage({ home, ...sharedServicesFrom(env) }))
  const settings = parseTracesSettings(env)
  const traces = openTraces({
    storage,
    home,
    embedder: embedderFrom(env, home),
    settings,
    background,
    limiter: redis && createRedisRateLimits(redis, new RateLimiter(Date.now)),
    onFault: (error, where) => console.error(`traces (${where}):`, error),
  })
  const keyOf = async (account: string) => localKey(traces.fetch, home, account, settings.keyHeader)
  async function makeOperator(): Promise<string> {
    const key = await keyOf(`${storage.identity}-operator`)
    await makeModerator(traces.deps, key)
    return key
  }
  let operator: Promise<string> | undefined
  return {
    traces,
    storage,
    async operatorKey() {
      operator ??= makeOperator()
      operator.catch(() => (operator = undefined))
      return operator
    },
    key: async () => keyOf(storage.identity),
    async close() {
      await traces.close()
      if (!shared) await storage.close()
    },
  }
}
