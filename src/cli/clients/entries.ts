import type { JsonObject } from '../../base/json/json.ts'
import type { ClientConfig, Endpoint, Scope } from './client.ts'

const MCP_SERVERS = ['mcpServers'] as const

/** The variable from which `portolan` on stdio reads its agent's key. */
export const KEY = 'PORTOLAN_KEY'

/** How a client refers to an environment variable. */
export type Reference = (name: string) => string

export const fromEnv: Reference = (name) => `\${env:${name}}`

export function json(
  scope: Scope,
  file: string,
  keys: readonly string[] = MCP_SERVERS,
): ClientConfig {
  return { scope, file, keys, format: 'json', writable: true }
}

export function readOnly(place: ClientConfig): ClientConfig {
  return { ...place, writable: false }
}

/** Builds a plain entry; without `reference`, the child must inherit the key's variable. */
export function plain(
  endpoint: Endpoint,
  reference: Reference | undefined,
  urlKey = 'url',
): JsonObject {
  if (endpoint.kind === 'stdio') {
    const env = environmentOf(endpoint, reference)
    return {
      command: endpoint.command,
      args: [...endpoint.args],
      ...(Object.keys(env).length > 0 && { env }),
    }
  }
  return { [urlKey]: endpoint.url, ...headersOf(endpoint, reference) }
}

export function withType(endpoint: Endpoint, reference: Reference | undefined): JsonObject {
  return { type: endpoint.kind, ...plain(endpoint, reference) }
}

export function environmentOf(
  endpoint: Extract<Endpoint, { kind: 'stdio' }>,
  reference: Reference | undefined,
): Record<string, string> {
  const key = reference && endpoint.key !== undefined ? { [KEY]: reference(endpoint.key) } : {}
  return { ...endpoint.env, ...key }
}

export function headersOf({ key }: Endpoint, reference: Reference | undefined): JsonObject {
  if (!reference || key === undefined) return {}
  return { headers: { Authorization: `Bearer ${reference(key)}` } }
}

/** Whether the key must be in a header, where some clients cannot put a variable. */
export function needsKeyInHeader(endpoint: Endpoint): boolean {
  return endpoint.kind === 'http' && endpoint.key !== undefined
}
