import type { World } from '../../surfaces/world.ts'
import type { Metrics } from '../../telemetry/metrics/metrics.ts'

/** Registers what the metrics say about servers. */
export function gaugeServers(metrics: Metrics, world: () => World): void {
  metrics.gauge({
    name: 'upstreams',
    help: 'Servers by state.',
    read: () => [...countStates(world())].map(([state, count]) => [{ state }, count] as const),
  })
  metrics.gauge({
    name: 'upstream_connections',
    help: 'Connections to each server that are up: child processes, or sessions of a remote server.',
    read: () =>
      world().catalog.servers.map(
        ({ name, diagnostics }) => [{ server: name }, diagnostics.connections] as const,
      ),
  })
}

function countStates({ catalog }: World): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { status } of catalog.servers)
    counts.set(status.state, (counts.get(status.state) ?? 0) + 1)
  return counts
}
