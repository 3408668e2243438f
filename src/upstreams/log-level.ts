import type { Link } from './link.ts'

const levels = new WeakMap<Link, string>()

/** Tells a legacy server the log level of the client whose call comes next; modern requests carry it. */
export async function alignLogLevel(link: Link, level: string): Promise<void> {
  if (link.era !== 'legacy' || link.capabilities['logging'] === undefined) return
  if (levels.get(link) === level) return
  levels.set(link, level)
  await link.request('logging/setLevel', { level }, {}).catch(() => undefined)
}
