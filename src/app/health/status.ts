import type { Config } from '../../config/load.ts'
import type { ReloadStatus } from '../../config/reload/reloader.ts'
import type { ConfigWatcher } from '../../config/reload/watch.ts'
import type { Agent } from '../../gateway/call.ts'
import {
  type Listing,
  MANY_SESSIONS,
  type Upstream,
  type UpstreamStatus,
  sessionsLostBy,
} from '../../gateway/upstream.ts'
import { heldIn, reviewCommand } from '../../gateway/names/held-tool.ts'
import type { CircuitState } from '../../base/flow/circuit.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { type World, permittedServers } from '../../surfaces/world.ts'
import type { AppState } from '../state.ts'
import { type ReplicaServices, describeRedis } from '../shared.ts'
import type { Workspace } from '../../config/paths.ts'
import { type PackageState, packageState } from '../upstreams/package-of.ts'
import { VERSION } from '../../base/version.ts'

export interface StatusParts {
  readonly config: Config
  readonly watcher: Pick<ConfigWatcher, 'status' | 'latestVersion'>
  readonly world: World
  readonly appState: AppState
  readonly shared: ReplicaServices
  /** By the name of the server. */
  readonly circuits: Readonly<Record<string, CircuitState>>
  readonly place: Workspace
}

/** Returns the result of get_gateway_status; agents and file paths only in debug mode. */
export function describeStatus(parts: StatusParts, agent: Agent): JsonObject {
  const { config, watcher, world, appState, shared, circuits, place } = parts
  const reload = watcher.status
  const visible = permittedServers(world, agent)
  const { calls, uptime_seconds } = appState.metrics.summary()
  return {
    version: VERSION,
    uptime_seconds,
    reload_status: reload,
    ...describeVersion(config, watcher),
    ...describeTrust(config),
    ...describeDatabase(shared),
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
      config_files: config.files,
    }),
    available_servers: visible.map(({ name }) => name),
    servers: visible.map(({ name, kind, status, diagnostics, listing }) => ({
      name,
      kind,
      ...describeState(status),
      ...describePackage(packageState(config.servers.get(name), config.settings.home, place)),
      restarts: diagnostics.restarts,
      connections: diagnostics.connections,
      tools: listing.tools.length,
      ...(listing.leftOut?.length && { left_out: listing.leftOut }),
      ...describeHeld(name, listing),
      ...(circuits[name] !== undefined && { circuit: circuits[name] }),
      ...(config.settings.debug && { file: config.origins.servers.get(name) ?? null }),
    })),
    calls: calls.decisions,
    ...describeToolSearch(world),
    audit: describeAudit(appState),
    ...describeRedis(shared.redis?.client),
    message: [message(visible, circuits, reload, { shared, appState }), ...world.notes].join(' '),
  }
}

/** Returns which pushed configuration is in use, and the latest, which may be unusable. */
function describeVersion({ version }: Config, watcher: StatusParts['watcher']): JsonObject {
  const latest = watcher.latestVersion
  return latest === undefined ? {} : { config_version: { in_use: version ?? null, latest } }
}

/** Returns the model that find_tools last ranked with; nothing before its first answer. */
function describeToolSearch({ toolMeanings }: World): JsonObject {
  const { model, problem } = toolMeanings?.state ?? {}
  if (model === undefined && problem === undefined) return {}
  return { tool_search: { model: model ?? null, ...(problem !== undefined && { problem }) } }
}

/** Lists untrusted files; the command is for the person whom the agent works for. */
function describeTrust({ leftOut }: Config): JsonObject {
  if (leftOut.length === 0) return {}
  return {
    untrusted_files: leftOut.map(({ path, verdict, command, changes }) => ({
      path,
      verdict,
      ...(changes && {
        changes_in_force: changes.inForce.length,
        changes_waiting: changes.waiting.length,
      }),
      command,
    })),
  }
}

function describeState(status: UpstreamStatus): JsonObject {
  if (status.state !== 'down' && status.state !== 'ready') return { ...status }
  const { sessionsLost, ...rest } = status
  const lost = sessionsLost === undefined ? {} : { sessions_lost_last_hour: sessionsLost }
  if (rest.state === 'ready') return { ...rest, ...lost }
  const { nextStep, ...down } = rest
  return { ...down, ...lost, ...(nextStep !== undefined && { next_step: nextStep }) }
}

function describePackage({ package: pinned, notPinned }: PackageState): JsonObject {
  if (notPinned !== undefined) return { not_pinned: notPinned }
  return pinned === undefined ? {} : { package: pinned }
}

/** Agents learn what is held, and nothing of what the server says meanwhile. */
function describeHeld(server: string, listing: Listing): JsonObject {
  const held = heldIn(listing)
  const problem = listing.drift?.problem
  return {
    ...(held.length > 0 && {
      held: held.map(({ kind, name, held: how }) => ({
        kind,
        name,
        since: new Date(how?.since ?? 0).toISOString(),
        use: how?.hold === 'text' ? 'its accepted text' : 'none',
        ...(how?.rejected && { rejected: true }),
      })),
      next_step: `Ask your operator, who sees what has changed with: ${reviewCommand(server)}`,
    }),
    ...(problem !== undefined && { not_stored: problem }),
  }
}

function describeAudit({ auditLog, auditIndex }: AppState): JsonObject {
  const { written, dropped } = auditLog.status
  if (!auditIndex) return { written, dropped }
  const { written: indexed, waiting, dropped: lost } = auditIndex.status
  return { written, dropped, index: { written: indexed, waiting, dropped: lost } }
}

function describeDatabase(shared: ReplicaServices): JsonObject {
  const { database } = shared.health()
  if (!database) return {}
  return { database: { state: database.state, since: new Date(database.since).toISOString() } }
}

function message(
  servers: readonly Upstream[],
  circuits: Readonly<Record<string, CircuitState>>,
  reload: ReloadStatus,
  { shared, appState }: Pick<StatusParts, 'shared' | 'appState'>,
): string {
  const bad = Object.values(reload).some(({ last_error }) => last_error !== null)
  return [
    describeServers(servers, circuits),
    ...(shared.health().database?.state === 'down'
      ? ['The database cannot be reached: known keys go on working, nothing shared can be changed.']
      : []),
    ...(bad ? ['The last reload found mistakes; the previous content stays in use.'] : []),
    ...(appState.auditLog.status.losingSince === undefined
      ? []
      : [`Audit entries are lost (${appState.auditLog.status.dropped} so far); the log says why.`]),
    ...(shared.redis?.client.state.up === false
      ? ['Redis does not answer: limits and cache are local.']
      : []),
  ].join(' ')
}

function describeServers(
  servers: readonly Upstream[],
  circuits: Readonly<Record<string, CircuitState>>,
): string {
  const are = (text: string, test: (server: Upstream) => boolean) => {
    const names = servers.filter(test).map(({ name }) => name)
    return names.length > 0 ? [`${text}: ${names.join(', ')}.`] : []
  }
  const forgetful = servers.filter(({ status }) => sessionsLostBy(status) >= MANY_SESSIONS)
  const troubles = [
    ...are('Down', ({ status }) => status.state === 'down'),
    ...are('Temporarily disabled after repeated failures', ({ name }) => circuits[name] === 'open'),
    ...are('Tried again with the next call', ({ name }) => circuits[name] === 'half-open'),
    ...forgetful.map(
      ({ name, status }) =>
        `${name} forgets our sessions: ${sessionsLostBy(status)} were renewed in the last hour.`,
    ),
    ...are(
      'Changes of their definitions are held until your operator accepts them',
      ({ listing }) => heldIn(listing).some(({ held }) => held?.rejected === false),
    ),
    ...are('Some of their definitions are left out', ({ listing }) =>
      Boolean(listing.leftOut?.length),
    ),
  ]
  return troubles.length > 0 ? troubles.join(' ') : 'All servers are fine.'
}
