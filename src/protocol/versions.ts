import { type JsonObject, isObject } from '../base/json/json.ts'

/** Versions with a handshake, newest first. */
export const LEGACY_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const

/** The version without a handshake: every request carries client, version and capabilities. */
export const MODERN_VERSION = '2026-07-28'

export const LATEST_LEGACY = LEGACY_VERSIONS[0]

export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const

const ENVELOPE: readonly string[] = [
  META.version,
  META.clientInfo,
  META.clientCapabilities,
  META.logLevel,
]

export function negotiateLegacy(requested: unknown): string {
  return LEGACY_VERSIONS.find((version) => version === requested) ?? LATEST_LEGACY
}

export function metaOf(params: JsonObject | undefined): JsonObject {
  const meta = params?.['_meta']
  return isObject(meta) ? meta : {}
}

/** Returns the params without the envelope of the modern era, which describes only one hop. */
export function withoutEnvelope(params: JsonObject): JsonObject {
  const meta = params['_meta']
  if (!isObject(meta)) return params
  let rest: JsonObject | undefined
  for (const key in meta) {
    if (ENVELOPE.includes(key)) continue
    rest ??= {}
    rest[key] = meta[key]
  }
  const { _meta, ...others } = params
  if (rest) others['_meta'] = rest
  return others
}
