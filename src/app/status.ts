import type { Config } from '../config/load.ts'
import type { ReloadStatus } from '../config/reloader.ts'
import type { Agent } from '../gateway/call.ts'
import type { Upstream } from '../gateway/upstream.ts'
import type { JsonObject } from '../protocol/json-rpc.ts'
import { type World, permittedServers } from '../surfaces/world.ts'
import type { Lasting } from './lasting.ts'
import { VERSION } from '../protocol/version.ts'
import { describeRedis } from './watch-redis.ts'

export interface StatusParts {
  readonly config: Config
  readonly reload: ReloadStatus
  readonly world: World
  readonly lasting: Lasting
}

/** The answer of get_gateway_status; who the agents are and where files lie, only in debug mode. */
export function describeStatus(parts: StatusParts, agent: Agent): JsonObject {
  const { config, reload, world, lasting } = parts
  const { metrics, auditLog, redis } = lasting
  const visible = permittedServers(world, agent)
  const circuits = lasting.circuitsOf(config).states()
  const { calls, uptime_seconds } = metrics.summary()
  return {
    version: VERSION,
    uptime_seconds,
    reload_status: reload,
    ...(config.settings.debug && {
      policy_state: {
        total_agents: Object.keys(config.rules?.agents ?? {}).length,
        agent_ids: Object.keys(config.rules?.agents ?? {}),
        defaults: { deny_on_missing_agent: config.rules?.denyOnMissingAgent ?? false },
      },
      config_paths: {
        mcp_config: config.paths.mcp ?? null,
        gateway_rules: config.paths.rules ?? null,
        settings: config.paths.settings ?? null,
      },
    }),
    available_servers: visible.map(({ name }) => name),
    servers: visible.map(({ name, kind, status, restarts, listing }) => ({
      name,
      kind,
      ...status,
      restarts,
      tools: listing.tools.length,
      ...(circuits[name] !== undefined && { circuit: circuits[name] }),
    })),
    calls: calls.decisions,
    audit: { written: auditLog.status.written, dropped: auditLog.status.dropped },
    ...describeRedis(redis),
    message: message(visible, reload, redis),
  }
}

function message(
  servers: readonly Upstream[],
  reload: ReloadStatus,
  redis: Lasting['redis'],
): string {
  const down = servers.filter(({ status }) => status.state === 'down').map(({ name }) => name)
  const bad = Object.values(reload).some(({ last_error }) => last_error !== null)
  return [
    down.length > 0 ? `Down: ${down.join(', ')}.` : 'All servers are fine.',
    ...(bad ? ['The last reload found mistakes; the previous content stays in use.'] : []),
    ...(redis?.state.up === false ? ['Redis does not answer: limits and cache are local.'] : []),
  ].join(' ')
}
