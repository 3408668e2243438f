import type { Link } from './link.ts'

const levels = new WeakMap<Link, string>()

/** Has a legacy server log at the level that the client of the next call asked for. */
export async function alignLogLevel(link: Link, level: string): Promise<void> {
  if (link.era !== 'legacy' || link.capabilities['logging'] === undefined) return
  if (levels.get(link) === level) return
  levels.set(link, level)
  await link.request('logging/setLevel', { level }, {}).catch(() => undefined)
}
