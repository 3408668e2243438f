import type { JsonObject } from '../../../base/json/json.ts'
import { META, MODERN_VERSION } from '../../versions.ts'
import type { Party } from '../era.ts'
import { FORWARDED, infoOf } from '../gateway-party.ts'

/** The `_meta` that every request of the modern era carries, on behalf of the client that asked. */
export function envelope(client: Party | undefined): JsonObject {
  const meta: JsonObject = {
    [META.version]: MODERN_VERSION,
    [META.clientInfo]: infoOf(client),
    [META.clientCapabilities]: client?.capabilities ?? FORWARDED,
  }
  if (client?.logLevel !== undefined) meta[META.logLevel] = client.logLevel
  return meta
}
