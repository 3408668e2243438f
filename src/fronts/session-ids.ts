import { createHash } from 'node:crypto'
import { parseExact, stringifyExact } from '../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { createSealedIds } from '../base/secrets/sealed-ids.ts'
import { beginningOf, detached } from '../base/text/detached.ts'

/** What a client said of itself in its handshake. */
export interface ClientFacts {
  readonly info: JsonObject | undefined
  readonly capabilities: JsonObject
}

/** A session as its id describes it. */
interface OpenedSession {
  /** Names the session where its id does not belong: between replicas, and to servers. */
  readonly key: string
  readonly facts: ClientFacts
  /** In milliseconds since the epoch. */
  readonly expiresAt: number
}

/**
 * The ids of legacy sessions over HTTP. An id holds the session, so any process with the same
 * secret continues it, and nobody stores it.
 */
export interface SessionIds {
  create(
    owner: string,
    facts: ClientFacts,
  ): Pick<OpenedSession, 'key' | 'expiresAt'> & { readonly id: string }
  /** Returns undefined if it is not an id of ours, has expired, or is another owner's. */
  open(id: string, owner: string): OpenedSession | undefined
}

/** A client that lives longer than this has to open another session. */
export const MAX_SESSION_MS = 30 * 86_400_000
/** Some clients and proxies log ids or limit headers. */
export const MAX_SESSION_ID = 2_048
const MAX_INFO_CHARS = 80
const MAX_INFO_BYTES = 500
const MAX_CAPABILITIES_BYTES = 800
const PREFIX = 'ptm_'
/** An id begins with random bytes; these characters of them are different for every session. */
const KEY_CHARS = 16

export function createSessionIds(secret: () => Buffer, now: () => number = Date.now): SessionIds {
  const ids = createSealedIds({
    prefix: PREFIX,
    purpose: 'session ids',
    secret,
    maxLength: MAX_SESSION_ID,
  })
  return {
    create(owner, { info, capabilities }) {
      const expiresAt = now() + MAX_SESSION_MS
      const content = [digest(owner), expiresAt, info ?? null, capabilities]
      const id = ids.seal(stringifyExact(content))
      return { id, key: keyOf(id), expiresAt }
    },
    open(id, owner) {
      const text = ids.open(id)
      const content = text === undefined ? undefined : parseExact(text)
      if (!Array.isArray(content)) return undefined
      const [sealedOwner, expires, info, capabilities]: unknown[] = content
      const expiresAt = Number(expires)
      if (sealedOwner !== digest(owner) || expiresAt < now()) return undefined
      return {
        key: keyOf(id),
        expiresAt,
        facts: {
          info: isObject(info) ? info : undefined,
          capabilities: isObject(capabilities) ? capabilities : {},
        },
      }
    },
  }
}

/** Reads the parameters of `initialize`, as far as they fit an id. */
export function toClientFacts({ clientInfo, capabilities }: JsonObject): ClientFacts {
  return {
    info: isObject(clientInfo) ? toInfo(clientInfo) : undefined,
    capabilities: isObject(capabilities) ? fitting(capabilities, MAX_CAPABILITIES_BYTES) : {},
  }
}

function toInfo(info: JsonObject): JsonObject {
  const texts = ['name', 'version', 'title'].flatMap((key) => {
    const text = info[key]
    return typeof text === 'string' ? [[key, beginningOf(text, MAX_INFO_CHARS)]] : []
  })
  return fitting(Object.fromEntries(texts), MAX_INFO_BYTES)
}

/** Returns a copy without the members that would make it too large. */
function fitting(value: JsonObject, maxBytes: number): JsonObject {
  let bytes = 0
  const members = Object.entries(value).filter((member) => {
    const size = Buffer.byteLength(stringifyExact(member))
    if (bytes + size > maxBytes) return false
    bytes += size
    return true
  })
  const copy = parseExact(stringifyExact(Object.fromEntries(members)))
  return isObject(copy) ? copy : {}
}

function keyOf(id: string): string {
  return detached(id.slice(PREFIX.length, PREFIX.length + KEY_CHARS))
}

function digest(owner: string): string {
  return createHash('sha256').update(owner).digest('base64url')
}
