import type { SecretValues } from '../../base/secrets/secret-values.ts'
import type { HttpServer } from '../../config/servers/servers.ts'
import type { Settings } from '../../config/settings/settings.ts'
import type { Connect } from '../../upstreams/link.ts'
import { type People, credentialsFor, filled } from './people.ts'
import type { SecretReader } from './secret-reader.ts'

interface UrlOptions {
  readonly config: HttpServer
  readonly settings: Settings
  readonly read: SecretReader
  readonly person: string | undefined
  readonly people: People
  readonly secrets: SecretValues
}

/** Connects to a server at a URL. */
export function connectUrl(options: UrlOptions): Connect {
  const { config, settings, read, person, people, secrets } = options
  const { maxFrameBytes } = settings.upstreams
  const { protocol } = config
  const url = new URL(config.url)
  const saysSse = config.transport === 'sse'
  const hide = (text: string) => secrets.hide(text)
  return async (...args) => {
    // Loads the HTTP client, which only servers at a URL need.
    const { connectHttp } = await import('../../upstreams/http/connect-http.ts')
    // Before the keys of people, in which nothing is a reference.
    const shared = await read(config.headers)
    const headers = lowerCased(await filled(shared, config, person, people.keys))
    const credentials = credentialsFor(config, person, people)
    const how = { url, headers, protocol, credentials, hide, saysSse, maxFrameBytes }
    return connectHttp(how)(...args)
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}
