import type { Signal } from '../base/flow/signal.ts'
import { ERAS } from '../protocol/eras/eras.ts'
import type { Link } from './link.ts'

const levels = new WeakMap<Link, string>()

/** Sets the log level of a legacy server to that of the client that makes the next call. */
export async function alignLogLevel(link: Link, level: string, signal?: Signal): Promise<void> {
  if (!ERAS[link.era].hasSession || link.capabilities['logging'] === undefined) return
  if (levels.get(link) === level) return
  levels.set(link, level)
  await link.request('logging/setLevel', { level }, { signal }).catch(() => undefined)
}
