import type { Client } from '../../gateway/call.ts'
import type { EraName } from '../../protocol/eras/eras.ts'

/** What a client can do that servers offer tools for. Others are as many as a client makes up. */
const CAPABILITIES = ['roots', 'sampling', 'elicitation', 'tasks', 'extensions']

/**
 * Names the kind of a connection: a server may list other things for another era, for a client that
 * can do more, and for another person.
 */
export function listingVariant(
  era: EraName,
  owner: Pick<Client, 'capabilities'> | undefined,
  person: string | undefined,
): string {
  const declared = owner?.capabilities ?? {}
  const able = owner ? CAPABILITIES.filter((name) => declared[name] !== undefined) : ['any']
  return [era, ...able, ...(person === undefined ? [] : [`for ${person}`])].join(' ')
}
