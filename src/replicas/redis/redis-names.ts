import { createHash } from 'node:crypto'
import { withTimeout } from '../../base/flow/time.ts'
import { KEEP_UNUSED_MS, type NamesStore, sourceKey } from '../../gateway/names/names-store.ts'
import type { RedisClient } from './redis-client.ts'
import { defineScript } from './script.ts'

const CHANNEL = 'names'
/** How long a process that has just started waits for the first answer of Redis. */
const FIRST_ANSWER_MS = 500

/** Compares the old text by its hash, so that only the new text is sent. */
const REPLACE = defineScript(`
if redis.sha1hex(redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`)

/** Names shared by replicas without a common database; written again if Redis loses them. */
export function createRedisNames(client: RedisClient, source: string): NamesStore {
  const id = sourceKey(source)
  const key = client.key('names', id)
  const listeners = new Set<() => void>()
  let first: Promise<void> | undefined = new Promise((resolve) => {
    client.onChange(({ up }) => {
      if (!up) return
      resolve()
      for (const listener of listeners) listener()
    })
  })

  async function untilFirstAnswer(): Promise<void> {
    if (first && !client.state.up) await withTimeout(first, FIRST_ANSWER_MS, () => undefined)
    first = undefined
  }

  return {
    place: 'Redis',
    async read() {
      await untilFirstAnswer()
      const text = await client.ask(async (redis) => redis.get(key))
      return text === undefined ? undefined : (text ?? '')
    },
    async replace(before, after) {
      const hash = createHash('sha1').update(before).digest('hex')
      const isReplaced = (await client.run(REPLACE, [key], [hash, after, KEEP_UNUSED_MS])) === 1
      if (isReplaced) void client.bus.publish(CHANNEL, { id })
      return isReplaced
    },
    onChange(listener) {
      listeners.add(listener)
      const { stop } = client.bus.subscribe(CHANNEL, (message) => {
        if (message['id'] === id) listener()
      })
      const unwatch = client.bus.onGap((isSubscribed) => {
        if (isSubscribed) listener()
      })
      return () => {
        listeners.delete(listener)
        stop()
        unwatch()
      }
    },
  }
}
