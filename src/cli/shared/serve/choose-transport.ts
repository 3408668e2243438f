import { InvalidArgumentError } from 'commander'
import type { StandaloneTransport } from '../../../app/builtins/serve-standalone.ts'
import type { Environment } from '../../../base/environment.ts'
import { GatewayError } from '../../../gateway/errors.ts'

export interface TransportFlags {
  readonly transport?: string | undefined
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly path?: string | undefined
}

const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PATH = '/mcp'

/** Names and aliases; one HTTP server speaks Streamable HTTP, SSE and WebSocket. */
const NAMES: Readonly<Record<string, StandaloneTransport['kind']>> = {
  stdio: 'stdio',
  'streamable-http': 'streamable-http',
  http: 'streamable-http',
  'http-sse': 'streamable-http',
  sse: 'streamable-http',
  websocket: 'websocket',
  ws: 'websocket',
}

const VARIABLES = new Set(['MCP_TRANSPORT', 'MCP_HOST', 'MCP_PORT', 'MCP_PATH'])

/** Flags override `MCP_TRANSPORT`, `MCP_PORT`, `MCP_HOST` and `MCP_PATH`; the default is stdio. */
export function chooseTransport(
  flags: TransportFlags,
  env: Environment,
  usualPort?: number,
): StandaloneTransport {
  const wanted =
    flags.transport ?? (env['MCP_TRANSPORT'] || (flags.port === undefined ? 'stdio' : 'http'))
  const kind = NAMES[wanted.toLowerCase()]
  if (kind === undefined) {
    const name = flags.transport === undefined ? 'MCP_TRANSPORT' : '--transport'
    throw wrong(`Invalid ${name}: ${wanted}. Valid values: stdio, streamable-http, websocket`)
  }
  if (kind === 'stdio') return { kind }
  return {
    kind,
    port: flags.port ?? portFrom(env, kind, usualPort),
    host: flags.host ?? hostFrom(env),
    path: flags.path ?? (env['MCP_PATH'] || DEFAULT_PATH),
  }
}

/** Removes these variables, which the gateway's settings would interpret in another way. */
export function withoutTransport(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !VARIABLES.has(name)))
}

/** An image sets `PORTOLAN_LISTEN_HOST` for every command in it. */
function hostFrom(env: Environment): string {
  return env['MCP_HOST'] || env['PORTOLAN_LISTEN_HOST'] || DEFAULT_HOST
}

function portFrom(env: Environment, kind: string, usualPort: number | undefined): number {
  const text = env['MCP_PORT']
  if (text === undefined || text === '') {
    if (usualPort !== undefined) return usualPort
    throw wrong(`MCP_PORT environment variable required for ${kind} transport`)
  }
  const port = Number(text)
  if (Number.isInteger(port) && port >= 1024 && port <= 65_535) return port
  throw wrong(`Invalid MCP_PORT: ${text}. It must be a whole number from 1024 to 65535`)
}

/** Names the address of the WebSocket, for the line at the start. */
export function websocketAt(transport: StandaloneTransport, url: string): string {
  if (transport.kind !== 'websocket') return ''
  return `, WebSocket at ${url.replace(/^http/, 'ws')}${transport.path}`
}

/** Parses a port option; 0 means any free port. */
export function toPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}

function wrong(message: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', message)
}
