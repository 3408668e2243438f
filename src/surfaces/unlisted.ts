import type { Agent, Client } from '../gateway/call.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { withTimeout } from '../base/flow/time.ts'
import { type Offer, permittedServers } from './world.ts'

/** How long lists wait, once, for a server that has not been listed yet. */
const WAIT_MS = 5000
/** When each was first asked, on a clock that nobody sets back: a list would wait for that long. */
const firstAsked = new WeakMap<Upstream, number>()

/**
 * Gives unlisted servers a short time to list their tools. A server that hangs delays one list by
 * this time, not every list, and hides nothing of the others.
 */
export async function listUnlisted(
  agent: Agent,
  client: Client | undefined,
  world: Offer,
): Promise<void> {
  await listServers(permittedServers(world, agent), client)
}

/** Does the same for these servers. */
export async function listServers(
  servers: readonly Upstream[],
  client: Client | undefined,
): Promise<void> {
  await Promise.all(servers.filter(isUnlisted).map(async (server) => list(server, client)))
}

/** Whether a server has never listed its tools, and is not known to be down. */
export function isUnlisted({ listing, status }: Upstream): boolean {
  return listing.serverInfo === undefined && listing.tools.length === 0 && status.state !== 'down'
}

async function list(server: Upstream, client: Client | undefined): Promise<void> {
  const since = firstAsked.get(server) ?? performance.now()
  firstAsked.set(server, since)
  const left = Math.max(0, since + WAIT_MS - performance.now())
  await withTimeout(server.list({ client }), left, () => undefined).catch(() => undefined)
}
