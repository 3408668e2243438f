import type { ServerConfig } from '../config/servers.ts'
import type { Location } from '../surfaces/world.ts'

/** Where a server is. Arguments and the query of an address stay out: they may hold secrets. */
export function locate(config: ServerConfig | undefined): Location {
  const nowhere = { transport: null, command: null, url: null }
  if (config?.kind === 'stdio') return { ...nowhere, transport: 'stdio', command: config.command }
  if (config?.kind === 'http')
    return { ...nowhere, transport: 'http', url: withoutQuery(config.url) }
  if (config?.kind === 'openapi') return { ...nowhere, transport: 'openapi' }
  if (config?.kind === 'builtin') return { ...nowhere, transport: 'builtin' }
  return nowhere
}

function withoutQuery(address: string): string {
  const url = new URL(address)
  return `${url.origin}${url.pathname}`
}
