import type { IncomingMessage, ServerResponse } from 'node:http'

export interface GuardOptions {
  /** The address we are bound to. */
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** The names of both settings, for the message to a refused client. */
  readonly settings?: { readonly hosts: string; readonly origins: string } | undefined
}

const SETTINGS = { hosts: 'listen.allowedHosts', origins: 'listen.allowedOrigins' }

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]', '::1']

/** Returns why a request is refused: a foreign Host (DNS rebinding) or an unknown Origin. */
export function forbiddenReason(
  request: Pick<IncomingMessage, 'headers'>,
  options: GuardOptions,
): string | undefined {
  const { host, origin } = request.headers
  const { hosts, origins } = options.settings ?? SETTINGS
  if (!isKnownHost(host, options))
    return `Host "${host ?? ''}" is not served here. Add it to ${hosts} if it should be.`
  if (origin !== undefined && !isKnownOrigin(origin, options))
    return `Origin "${origin}" may not call. Add it to ${origins} if it should.`
  return undefined
}

function isKnownOrigin(origin: string, { allowedOrigins }: GuardOptions): boolean {
  if (allowedOrigins.includes('*') || allowedOrigins.includes(origin)) return true
  try {
    return LOOPBACK.includes(new URL(origin).hostname)
  } catch {
    return false
  }
}

/** Lets the page of a known origin read the answer (CORS). */
export function allowOrigin(
  request: IncomingMessage,
  response: ServerResponse,
  options: GuardOptions,
): void {
  const { origin } = request.headers
  if (origin === undefined || !isKnownOrigin(origin, options)) return
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'Origin')
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE, OPTIONS')
  response.setHeader('access-control-allow-headers', allowedHeaders(request))
  response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate')
}

const HEADERS =
  'content-type, authorization, x-api-key, x-agent-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id'

/** Headers that repeat arguments have names of the tool's choice, so those asked for are allowed. */
function allowedHeaders({ headers }: IncomingMessage): string {
  const asked = headers['access-control-request-headers']?.split(',') ?? []
  const params = asked.map((name) => name.trim()).filter((name) => /^mcp-param-[\w-]+$/i.test(name))
  return [HEADERS, ...params].join(', ')
}

function isKnownHost(header: string | undefined, { host, allowedHosts }: GuardOptions): boolean {
  if (header === undefined) return false
  const whole = header.toLowerCase()
  const name = whole.replace(/:\d+$/, '')
  if (LOOPBACK.includes(name)) return true
  // A Host header has brackets around an IPv6 address; the address that we are bound to has none.
  const bare = name.replace(/^\[(.*)\]$/, '$1')
  return (
    bare === host.toLowerCase() ||
    allowedHosts.some((one) => one === '*' || [whole, name, bare].includes(one.toLowerCase()))
  )
}
