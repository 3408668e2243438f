import type { ServerConfig } from '../config/servers.ts'
import type { Location } from '../surfaces/world.ts'
import { hide } from '../base/secrets.ts'

/** Where a server is, for those who ask for metadata. Arguments stay out: they may hold secrets. */
export function locate(config: ServerConfig | undefined): Location {
  const nowhere = { transport: null, command: null, url: null }
  if (config?.kind === 'stdio')
    return { ...nowhere, transport: 'stdio', command: hide(config.command) }
  if (config?.kind === 'http')
    return { ...nowhere, transport: 'http', url: withoutSecrets(config.url) }
  if (config?.kind === 'openapi') return { ...nowhere, transport: 'openapi' }
  if (config?.kind === 'builtin') return { ...nowhere, transport: 'builtin' }
  return nowhere
}

function withoutSecrets(address: string): string {
  const url = new URL(address)
  return hide(`${url.origin}${url.pathname}`)
}
