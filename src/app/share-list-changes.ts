import type { Catalog } from '../gateway/catalog.ts'
import type { RedisBus } from '../replicas/redis/redis-bus.ts'

const CHANNEL = 'lists'
const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/
/** Replicas that hear of a change themselves, and from each other, ask the server once. */
const SETTLE_MS = 200

/**
 * A remote server is one for all replicas: who hears that its lists changed tells the others, who
 * ask it themselves and tell their clients only what is new to them. A child process is each
 * replica's own. Returns what to call with every notification.
 */
export function shareListChanges(
  bus: RedisBus,
  catalog: () => Catalog,
): (server: string, method: string) => void {
  const asking = new Set<string>()
  const isRemote = (server: string) => catalog().server(server)?.kind === 'http'

  bus.subscribe(CHANNEL, ({ server }) => {
    const name = String(server)
    if (!isRemote(name) || asking.has(name)) return
    asking.add(name)
    const timer = setTimeout(() => {
      asking.delete(name)
      void catalog()
        .server(name)
        ?.refresh?.()
        .catch(() => undefined)
    }, SETTLE_MS)
    timer.unref()
  })

  return (server, method) => {
    if (LIST_CHANGED.test(method) && isRemote(server)) void bus.publish(CHANNEL, { server })
  }
}
