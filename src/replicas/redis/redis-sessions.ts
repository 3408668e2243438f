import {
  type SessionStore,
  type SessionUpdate,
  toSessionFacts,
} from '../../fronts/session-store.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { RedisClient } from './redis-client.ts'

/** For this long after an outage, other replicas may not have saved their sessions again. */
const UNSURE_MS = 2000
/** After this long, a client should start a new session instead of waiting for this one. */
const LONGEST_WAIT_MS = 10_000

/** The sessions of all replicas; each ends when its client is silent for `idleMs`. */
export function createRedisSessions(client: RedisClient, idleMs: number): SessionStore {
  const keyOf = (id: string) => client.key('session', id)
  const losses = new Set<() => void>()
  let upSince = -Infinity
  client.onChange(({ up }) => {
    if (!up) return
    upSince = Date.now()
    for (const listener of losses) listener()
  })

  return {
    async save(id, facts) {
      const text = JSON.stringify(facts)
      await client.ask(async (redis) => redis.set(keyOf(id), text, 'PX', idleMs))
    },
    async load(id) {
      const text = await client.ask(async (redis) => redis.get(keyOf(id)))
      if (typeof text === 'string') return toSessionFacts(JSON.parse(text))
      const { state } = client
      const unsure = state.up
        ? text === undefined || Date.now() - upSince < UNSURE_MS
        : Date.now() - state.since < LONGEST_WAIT_MS
      return unsure ? 'later' : undefined
    },
    async remove(id) {
      await client.ask(async (redis) => redis.del(keyOf(id)))
    },
    publish: (id, news) => void client.bus.publish(`session:${id}`, { news }),
    subscribe: (id, listener) =>
      client.bus.subscribe(`session:${id}`, ({ news }) => {
        const known = toUpdate(news)
        if (known) listener(known)
      }),
    onLoss: (listener) => void losses.add(listener),
  }
}

function toUpdate(value: unknown): SessionUpdate | undefined {
  const news: JsonObject = isObject(value) ? value : {}
  const { kind, message, facts, text } = news
  if (kind === 'message' && isObject(message)) return { kind, message }
  if (kind === 'say' && typeof text === 'string') return { kind, text }
  if (kind === 'stream' || kind === 'end') return { kind }
  const known = kind === 'facts' ? toSessionFacts(facts) : undefined
  return known && { kind: 'facts', facts: known }
}
