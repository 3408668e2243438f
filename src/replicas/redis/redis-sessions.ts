import { type JsonObject, isObject } from '../../base/json/json.ts'
import { MAX_SESSION_MS } from '../../fronts/session-ids.ts'
import type { SessionMessage, SessionRelay } from '../../fronts/session-relay.ts'
import type { RedisClient } from './redis-client.ts'

/** Connects the replicas that serve one session. Redis holds no session, only which have ended. */
export function createRedisSessions(client: RedisClient): SessionRelay {
  const ended = (key: string) => client.key('ended-session', key)
  return {
    publish: (key, content) => void client.bus.publish(`session:${key}`, { content }),
    subscribe: (key, listener) =>
      client.bus.subscribe(`session:${key}`, ({ content }) => {
        const message = toMessage(content)
        if (message) listener(message)
      }),
    async end(key) {
      await client.ask(async (redis) => redis.set(ended(key), '', 'PX', MAX_SESSION_MS))
    },
    // Without Redis a session that has ended may begin again, but only for its owner.
    hasEnded: async (key) => (await client.ask(async (redis) => redis.exists(ended(key)))) === 1,
  }
}

function toMessage(value: unknown): SessionMessage | undefined {
  const content: JsonObject = isObject(value) ? value : {}
  const { kind, message, text } = content
  if (kind === 'message' && isObject(message)) return { kind, message }
  if (kind === 'say' && typeof text === 'string') return { kind, text }
  return kind === 'join' || kind === 'stream' || kind === 'end' ? { kind } : undefined
}
