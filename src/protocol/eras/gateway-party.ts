import type { JsonObject } from '../../base/json/json.ts'
import { VERSION } from '../../base/version.ts'
import { APPS, APP_PAGE } from '../extensions.ts'
import type { Party } from './eras.ts'

export const GATEWAY_INFO = { name: 'portolan', version: VERSION }

/** Capabilities that the gateway can forward: declared if there is no client in particular. */
export const FORWARDED = {
  roots: {},
  sampling: {},
  elicitation: { form: {}, url: {} },
  extensions: { [APPS]: { mimeTypes: [APP_PAGE] } },
}

/** Servers reject a handshake without name or version, which some clients leave out. */
export function infoOf(client: Pick<Party, 'info'> | undefined): JsonObject {
  const { info } = client ?? {}
  const whole = typeof info?.['name'] === 'string' && typeof info['version'] === 'string'
  return info && !whole ? { ...GATEWAY_INFO, ...info } : (info ?? GATEWAY_INFO)
}
