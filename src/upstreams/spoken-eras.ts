import { canBeAsked } from '../gateway/questions/ask-client.ts'
import type { Client } from '../gateway/call.ts'
import { LATEST_LEGACY } from '../protocol/versions.ts'
import { ERAS, type EraName } from '../protocol/eras/eras.ts'
import type { Link } from './link.ts'

/**
 * What is known of the eras a server speaks; an era that was never tried is absent. `stateless`:
 * spoken, but without a session, so that the server cannot ask its client anything.
 */
export type SpokenEras = { readonly [era in EraName]?: boolean | 'stateless' }

/** The era to try where a server does not speak one. */
const OTHER: Readonly<Record<EraName, EraName>> = { legacy: 'modern', modern: 'legacy' }

export function otherEra(era: EraName): EraName {
  return OTHER[era]
}

/** Returns the eras that the configured version implies; nothing for `auto`. */
export function erasOf(protocol: 'auto' | '2025-11-25' | '2026-07-28'): SpokenEras {
  if (protocol === 'auto') return {}
  return protocol === '2026-07-28'
    ? { modern: true, legacy: false }
    : { modern: false, legacy: true }
}

/** Returns the era to try first without a client: almost every command speaks the legacy era. */
export function firstEra(kind: 'stdio' | 'http', spoken: SpokenEras): EraName {
  const first = kind === 'stdio' ? 'legacy' : 'modern'
  return spoken[first] === false ? otherEra(first) : first
}

/** Returns the era for a client: its own if the server speaks it. Undefined while unknown. */
export function eraFor(client: Client, spoken: SpokenEras): EraName | undefined {
  const known = spoken[client.era]
  if (known === undefined) return undefined
  if (known === false) return otherEra(client.era)
  // Questions reach this client over the modern era, by the bridge, but never over a stateless one.
  if (known === 'stateless' && spoken.modern === true && canBeAsked(client)) return 'modern'
  return client.era
}

/** Returns what is known after a connection was opened for which `wanted` was tried first. */
export function learnEra(spoken: SpokenEras, wanted: EraName, link: Link): SpokenEras {
  // A server of both eras speaks the newest version with a handshake.
  const isOlder = ERAS[link.era].hasSession && link.version !== LATEST_LEGACY
  return {
    ...(isOlder && { modern: false }),
    ...spoken,
    [wanted]: false,
    [link.era]: link.canAsk ? true : 'stateless',
  }
}

/** Returns only the eras that the server is known to speak. */
export function spokenOnly({ modern, legacy }: SpokenEras): SpokenEras {
  return { ...(modern === true && { modern }), ...(legacy && { legacy }) }
}
