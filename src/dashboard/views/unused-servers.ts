import type { Usage } from '../../telemetry/history/usage.ts'
import type { Costs } from '../contract/overview.ts'
import type { Sources } from '../sources.ts'

/**
 * Returns the servers of files that nobody has used in a span of time; null if the record does not go
 * back that far. A server that was written to its file meanwhile is not one of them.
 */
export async function unusedServers(
  { config, files }: Pick<Sources, 'config' | 'files'>,
  { servers, sinceMs, fromMs, share }: Usage,
): Promise<Costs['unused']> {
  if (sinceMs === null || sinceMs > fromMs || share < 1) return null
  const used = new Set(servers.map(({ name }) => name))
  const unused = [...config.servers.values()].flatMap(({ name, enabled }) => {
    const file = config.origins.servers.get(name)
    return enabled && file !== undefined && !used.has(name) ? [{ name, file }] : []
  })
  if (unused.length === 0 || !files) return unused
  const { listVersions } = await import('../../config/history/list-versions.ts')
  const added = (await listVersions(files))
    .filter(({ created_at: at }) => at !== null && Date.parse(at) >= fromMs)
    .flatMap(({ files: changed }) => changed.flatMap(({ diff }) => diff))
    .filter((line) => line.startsWith('+'))
    .join('\n')
  return unused.filter(({ name }) => !added.includes(`${JSON.stringify(name)}:`))
}
