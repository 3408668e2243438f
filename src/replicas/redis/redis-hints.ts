import type { Hints } from '../../gateway/layers/breaker.ts'
import type { RedisBus } from './redis-bus.ts'

const CHANNEL = 'circuits'

/** Tells the other replicas when a server fails here, and when it works again. */
export function createRedisHints(bus: RedisBus): Hints {
  let listener: Parameters<Hints['subscribe']>[0] | undefined
  bus.subscribe(CHANNEL, ({ upstream, state }) => {
    if (typeof upstream === 'string' && (state === 'open' || state === 'closed'))
      listener?.(upstream, state)
  })
  return {
    report: (upstream, state) => void bus.publish(CHANNEL, { upstream, state }),
    subscribe: (next) => (listener = next),
  }
}
