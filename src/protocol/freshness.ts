import type { JsonObject } from '../base/json/json.ts'

/** What an answer of an API says about using it again, by the rules of HTTP for a private cache. */
export interface Freshness {
  /** How long it may be used without asking; undefined where it does not say. */
  readonly ttlMs?: number | undefined
  /** `public` only if no credential was sent for it either. */
  readonly scope?: 'public' | 'private' | undefined
  /** Whether it must not be stored, whatever the settings say. */
  readonly noStore?: boolean
  /** How long it may be used after that if the server fails; undefined where it does not say. */
  readonly staleMs?: number | undefined
  /** When the server made it, in milliseconds since the epoch. */
  readonly madeAt: number
  /** The fields that decided this, which a later `304 Not Modified` updates. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the server has confirmed the stored result, and sent no other. */
  readonly notModified?: boolean
}

/** Kept beside the result, as `raw-text` does: no client sees it, and a changed copy has none. */
const known = new WeakMap<JsonObject, Freshness>()

export function withFreshness(result: JsonObject, freshness: Freshness | undefined): JsonObject {
  if (freshness) known.set(result, freshness)
  return result
}

export function freshnessOf(result: JsonObject): Freshness | undefined {
  return known.get(result)
}
