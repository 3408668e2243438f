import type { Agent, Client } from '../gateway/call.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { withTimeout } from '../base/time.ts'
import { type World, permittedServers } from './world.ts'

/** How long lists wait, once, for a server that nobody has heard from yet. */
const PATIENCE_MS = 2000
const firstAsked = new WeakMap<Upstream, number>()

/**
 * Gives servers that were never heard from a short moment to say what they offer. One that hangs
 * costs this moment once, not on every list, and hides nothing of the others.
 */
export async function hearStrangers(agent: Agent, client: Client, world: World): Promise<void> {
  const strangers = permittedServers(world, agent).filter(isStranger)
  await Promise.all(strangers.map(async (server) => hear(server, client)))
}

export function isStranger({ listing, status }: Upstream): boolean {
  return listing.serverInfo === undefined && listing.tools.length === 0 && status.state !== 'down'
}

async function hear(server: Upstream, client: Client): Promise<void> {
  const since = firstAsked.get(server) ?? Date.now()
  firstAsked.set(server, since)
  const left = Math.max(0, since + PATIENCE_MS - Date.now())
  await withTimeout(server.live(client), left, () => undefined).catch(() => undefined)
}
