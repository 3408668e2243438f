import type { Upstream } from '../../gateway/upstream.ts'
import type { World } from '../../surfaces/world.ts'
import type { Metrics } from '../../telemetry/metrics/metrics.ts'

/** Registers what the metrics say about servers. */
export function gaugeServers(metrics: Metrics, worlds: () => readonly World[]): void {
  metrics.gauge({
    name: 'upstreams',
    help: 'Servers by state.',
    read: () =>
      [...countStates(serversOf(worlds()))].map(([state, count]) => [{ state }, count] as const),
  })
  metrics.gauge({
    name: 'upstream_connections',
    help: 'Connections to each server that are up: child processes, or sessions of a remote server.',
    read: () => countConnections(serversOf(worlds())),
  })
}

/** Returns the servers of all folders; one that several share is there once. */
function serversOf(worlds: readonly World[]): Upstream[] {
  return [...new Set(worlds.flatMap(({ catalog }) => catalog.servers))]
}

function countStates(servers: readonly Upstream[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { status } of servers) counts.set(status.state, (counts.get(status.state) ?? 0) + 1)
  return counts
}

function countConnections(servers: readonly Upstream[]) {
  const counts = new Map<string, number>()
  for (const { name, diagnostics } of servers)
    counts.set(name, (counts.get(name) ?? 0) + diagnostics.connections)
  return [...counts].map(([server, count]) => [{ server }, count] as const)
}
