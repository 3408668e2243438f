import { type JsonObject, isObject } from '../../base/json/json.ts'
import type {
  SuspendedLimits,
  SuspendedStore,
  TakenRow,
} from '../../storage/shared/suspended-scripts.ts'
import type { RedisClient } from './redis-client.ts'

/** A hash tag, so that keys that are written together are on one node of a cluster. */
const TAG = '{suspended}'

/**
 * Suspended scripts of replicas without a common database. The image has its own key, which is read
 * and deleted in one step; Redis removes expired entries itself.
 */
export function createRedisSuspended(
  client: RedisClient,
  { perOwner, rememberMs }: Pick<SuspendedLimits, 'perOwner' | 'rememberMs'>,
): SuspendedStore {
  const imageKey = (id: string) => client.key(TAG, 'image', id)
  const trailKey = (id: string) => client.key(TAG, 'trail', id)
  const ownKey = (owner: string) => client.key(TAG, 'of', owner)

  const redisGet = async (key: string) => client.ask(async (redis) => redis.get(key))

  async function known(id: string): Promise<JsonObject> {
    const text = await redisGet(trailKey(id))
    return typeof text === 'string' ? toKnown(text) : {}
  }

  /** Finds a script of this owner; an image that is missing before it expires was taken. */
  async function find(
    id: string,
    owner: string,
    imageOf: () => Promise<string | null | undefined>,
  ): Promise<TakenRow | undefined> {
    const { owner: its, trail, expires_at: expiresAt, resumed_at: resumedAt } = await known(id)
    if (its !== owner) return undefined
    const image = (await imageOf()) ?? null
    const isLate = Number(expiresAt) <= Date.now()
    const takenAt = typeof resumedAt === 'number' ? resumedAt : Date.now()
    return { image, trail: String(trail), resumed_at: isLate ? null : takenAt }
  }

  async function remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const keys = ids.flatMap((id) => [imageKey(id), trailKey(id)])
    await client.ask(async (redis) => redis.del(...keys))
  }

  return {
    async insert({ id, owner, image, trail, created_at, expires_at }) {
      const ttlMs = expires_at - created_at
      const text = JSON.stringify({ owner, trail, expires_at })
      const stored = await client.ask(async (redis) =>
        redis
          .multi()
          .set(imageKey(id), image ?? '', 'PX', ttlMs)
          .set(trailKey(id), text, 'PX', ttlMs + rememberMs)
          .lrem(ownKey(owner), 0, id)
          .lpush(ownKey(owner), id)
          .pexpire(ownKey(owner), ttlMs + rememberMs)
          .lrange(ownKey(owner), perOwner, -1)
          .ltrim(ownKey(owner), 0, perOwner - 1)
          .exec(),
      )
      if (!stored) throw new Error('Redis did not answer in time')
      const over = stored.flatMap(([, answer]) => (Array.isArray(answer) ? answer.map(String) : []))
      await remove(over)
    },
    read: async (id, owner) => find(id, owner, async () => redisGet(imageKey(id))),
    async take(id, owner) {
      const row = await find(id, owner, async () =>
        client.ask(async (redis) => redis.getdel(imageKey(id))),
      )
      if (typeof row?.image !== 'string') return row
      const text = JSON.stringify({ ...(await known(id)), resumed_at: Date.now() })
      await client.ask(async (redis) => redis.set(trailKey(id), text, 'KEEPTTL'))
      return row
    },
    remove: async (id) => remove([id]),
    trim: async () => {},
  }
}

function toKnown(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}
