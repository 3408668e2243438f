import type { Agent } from '../gateway/call.ts'
import type { Requester, SurfaceName } from '../gateway/request.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { autoSurface, directTools } from './direct.ts'
import { DISCOVER_INSTRUCTIONS, SCRIPT_INSTRUCTIONS } from './discover.ts'
import { mayRunScripts } from './scripts/may-run-scripts.ts'
import { isUnlisted, listUnlisted } from './unlisted.ts'
import { tryIdentify } from './unknown-caller.ts'
import { type World, permittedServers } from './world.ts'

/**
 * Says what the toolset of the caller says, then explains the discovery tools, or passes on what the
 * servers of directly listed tools say.
 */
export async function instructions(
  who: Requester,
  asked: SurfaceName | undefined,
  world: World,
): Promise<string | undefined> {
  const agent = await tryIdentify(who, world)
  const parts = [
    agent && world.instructionsOf(agent),
    await ofSurface(who, { agent, asked }, world),
  ]
  const said = parts.filter((text) => text !== undefined)
  return said.length > 0 ? said.join('\n\n') : undefined
}

async function ofSurface(
  who: Requester,
  { agent, asked }: { readonly agent: Agent | undefined; readonly asked: SurfaceName | undefined },
  world: World,
): Promise<string | undefined> {
  // A client may connect before it names its agents, each with its own calls.
  const { client } = who
  const surface = asked ?? world.surfaceOf(agent ?? { id: '' })
  if (!agent) return surface === 'direct' ? undefined : DISCOVER_INSTRUCTIONS
  // Instructions are sent once: on the very first start, servers get a moment to give theirs.
  if (surface === 'direct') await listUnlisted(agent, client.alone ? client : undefined, world)
  const servers = permittedServers(world, agent)
  // The surface `auto` does not wait: an unlisted server may have too many tools to show.
  const few = () => !servers.some(isUnlisted) && autoSurface(directTools(agent, world)) === 'direct'
  if (surface === 'scripts' && mayRunScripts(agent, world)) return SCRIPT_INSTRUCTIONS
  if (surface !== 'direct' && (surface !== 'auto' || !few()))
    return [DISCOVER_INSTRUCTIONS, ...adviceOf(servers, world)].join(' ')
  return saidBy(servers)
}

function saidBy(servers: readonly Upstream[]): string | undefined {
  const said = servers.filter(({ listing }) => listing.instructions !== undefined)
  if (servers.length === 1) return said[0]?.listing.instructions
  return said.length > 0 ? said.map(introduce).join('\n\n') : undefined
}

function introduce({ name, listing }: Upstream): string {
  return `# ${name}\n${listing.instructions ?? ''}`
}

function adviceOf(servers: readonly Upstream[], world: World): string[] {
  return servers.flatMap(({ name }) => world.adviceOf(name) ?? [])
}
