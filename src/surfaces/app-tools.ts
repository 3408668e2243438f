import type { JsonObject } from '../base/json/json.ts'
import { hasPage, isForModels } from '../gateway/tools/app-tools.ts'
import type { Agent, Client } from '../gateway/call.ts'
import { showsApps } from '../protocol/extensions.ts'
import { toDefinition } from './direct.ts'
import { type World, permittedServers, permittedTools } from './world.ts'

/**
 * Adds to a list of tools what a host of MCP Apps needs: tools with a page, which it shows when the
 * model calls them, and tools that only pages call.
 */
export function withApps(
  tools: readonly JsonObject[],
  agent: Agent,
  world: World,
  client: Client,
): JsonObject[] {
  if (!showsApps(client.capabilities)) return [...tools]
  const names = new Set(tools.map(({ name }) => name))
  const ofApps = permittedServers(world, agent).flatMap((upstream) =>
    permittedTools(world, agent, upstream)
      .filter((tool) => hasPage(tool) || !isForModels(tool))
      .map((tool) => toDefinition(tool, { agent, upstream, world, client }).definition),
  )
  return [...tools, ...ofApps.filter(({ name }) => !names.has(name))]
}
