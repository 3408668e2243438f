import { lockFileOf } from '../../config/lock/lock-file.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { type Upstream, type UpstreamStatus, sessionsLostBy } from '../../gateway/upstream.ts'
import { heldIn } from '../../gateway/names/held-tool.ts'
import { hide } from '../../base/secrets/secrets.ts'
import type { Server, ServerDetail, ServerState } from '../contract/servers.ts'
import type { LastError, Observer } from '../observer.ts'
import type { FolderSources, Sources } from '../sources.ts'
import type { TokenCosts } from './token-costs.ts'
import { describeProgram } from './describe-program.ts'
import type { Stats } from './usage.ts'

export interface DashboardParts {
  readonly sources: Sources
  readonly observer: Observer
  readonly costs: TokenCosts
}

/**
 * All configured servers, running or not, in the order of the configuration: those of the main folder
 * first, then those that other open folders have besides.
 */
export function describeServers(
  { sources, observer, costs }: DashboardParts,
  stats: Pick<Stats, 'servers'>,
): Server[] {
  const [main, ...others] = sources.folders()
  const known = new Set<string>()
  return [main ?? sources, ...others].flatMap((folder, n) =>
    describeFolder(folder, { observer, costs, stats })
      .filter(({ name, file }) => {
        const key = JSON.stringify([name, file])
        return !known.has(key) && known.add(key)
      })
      .map((server) => ({
        ...server,
        folder: n === 0 ? null : 'path' in folder ? folder.path : null,
      })),
  )
}

type Folder = Pick<FolderSources, 'world' | 'config' | 'circuits'>

function describeFolder(
  { world, config, ...folder }: Folder,
  { observer, costs, stats }: Omit<DashboardParts, 'sources'> & { stats: Pick<Stats, 'servers'> },
): Omit<Server, 'folder'>[] {
  const circuits = folder.circuits()
  return [...config.servers.values()].map((server) => {
    const { name } = server
    const upstream = world.catalog.server(name)
    const { command, url } = world.locate(name)
    return {
      name,
      kind: server.kind,
      builtin: server.kind === 'builtin' ? server.builtin : null,
      description: server.description ?? null,
      location: command ?? url,
      program: server.kind === 'stdio' ? describeProgram(server) : null,
      file: config.origins.servers.get(name) ?? null,
      ...describeState(server, upstream?.status),
      breaker: circuits[name] ?? null,
      lastError: describeError(observer.lastError(name)),
      ...describeUpstream(upstream),
      toolTokens: upstream ? costs.ofServer(upstream, world) : 0,
      calls: stats.servers.get(name) ?? null,
    }
  })
}

function describeUpstream(upstream: Upstream | undefined) {
  if (!upstream)
    return { restarts: 0, sessionsLost: 0, connections: 0, toolCount: 0, leftOut: [], heldCount: 0 }
  const { diagnostics, listing, status } = upstream
  const { restarts, connections } = diagnostics
  const { tools, leftOut = [] } = listing
  const sessionsLost = sessionsLostBy(status)
  const heldCount = heldIn(upstream.listing).filter(({ held }) => held?.rejected === false).length
  return { restarts, sessionsLost, connections, toolCount: tools.length, leftOut, heldCount }
}

/** What holds a program back, and what holds back what it says. */
export function describeLimits(
  server: ServerConfig | undefined,
): Pick<ServerDetail, 'sandbox' | 'lock'> {
  const origin = server?.kind === 'broken' ? undefined : server?.origin
  return {
    sandbox: (server?.kind === 'stdio' ? server.sandbox : undefined) ?? null,
    lock: origin?.locked ? lockFileOf(origin.file) : null,
  }
}

/** What a server wrote outside the protocol, and what to do if that explains why it is down. */
export function describeOutput(
  upstream: Upstream | undefined,
): Pick<ServerDetail, 'output' | 'nextStep'> {
  if (!upstream) return { output: [], nextStep: null }
  const { status, diagnostics } = upstream
  return {
    nextStep: status.state === 'down' ? (status.nextStep ?? null) : null,
    output: diagnostics.output.map(({ at, text }) => ({ at: new Date(at).toISOString(), text })),
  }
}

function describeError(error: LastError | undefined): Server['lastError'] {
  return error ? { at: new Date(error.atMs).toISOString(), text: error.text } : null
}

type State = Pick<Server, 'state' | 'since' | 'era' | 'error' | 'retryAt'>

function describeState(server: ServerConfig, status: UpstreamStatus | undefined): State {
  const nothing = { since: null, era: null, error: null, retryAt: null }
  if (status === undefined) return { ...nothing, state: 'disabled' }
  const state: ServerState = status.state
  if (status.state === 'ready')
    return { ...nothing, state, era: status.era, since: new Date(status.since).toISOString() }
  if (status.state !== 'down') return { ...nothing, state }
  const isFinal = server.kind === 'broken' || !Number.isFinite(status.retryAt)
  return {
    ...nothing,
    state,
    error: hide(status.error),
    retryAt: isFinal ? null : new Date(status.retryAt).toISOString(),
  }
}
