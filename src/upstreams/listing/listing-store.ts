import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LeftOut, Listing } from '../../gateway/upstream.ts'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { SpokenEras } from '../spoken-eras.ts'
import { EMPTY_LISTING, toTool } from './listing.ts'

/** What is known of a server before it has been started. */
export interface StoredListing {
  readonly listing: Listing
  /**
   * Whether it was seen asking its client, so that sessions must not share it; false once it has
   * answered a client that it could have asked.
   */
  readonly asksClients: boolean | undefined
  readonly eras: SpokenEras
}

export interface ListingStore {
  load(): StoredListing | undefined
  save(remembered: StoredListing): void
}

/** Listings of version 1 have definitions that were not checked. */
const VERSION = 2

/** Stores one small file per server; ignores one that is damaged or of other settings or format. */
export function createListingStore(
  folder: string,
  server: string,
  settings: unknown,
): ListingStore {
  const fingerprint = createHash('sha256').update(JSON.stringify(settings)).digest('hex')
  const name = createHash('sha256').update(server).digest('hex').slice(0, 16)
  const path = join(folder, `${name}.json`)
  return {
    load() {
      const saved = read(path)
      if (saved?.['version'] !== VERSION || saved['fingerprint'] !== fingerprint) return undefined
      return {
        listing: fromSaved(server, saved['listing']),
        asksClients: typeof saved['asksClients'] === 'boolean' ? saved['asksClients'] : undefined,
        eras: toEras(saved['eras']),
      }
    },
    save({ listing, asksClients, eras }) {
      const text = stringifyExact({
        version: VERSION,
        server,
        fingerprint,
        asksClients,
        eras,
        listing: toSaved(listing),
      })
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const draft = `${path}.${randomUUID()}`
        writeFileSync(draft, text, { mode: 0o600 })
        renameSync(draft, path)
      } catch {
        // Only a cache: without it the next start lists the server again.
      }
    },
  }
}

function read(path: string): JsonObject | undefined {
  try {
    const value = parseExact(readFileSync(path, 'utf8'), Infinity)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function toEras(saved: unknown): SpokenEras {
  if (!isObject(saved)) return {}
  const { legacy, modern } = saved
  return {
    ...(typeof modern === 'boolean' && { modern }),
    ...((typeof legacy === 'boolean' || legacy === 'stateless') && { legacy }),
  }
}

/** Returns a listing as JSON, which `fromSaved` reads. */
export function toSaved(listing: Listing): JsonObject {
  return { ...listing, tools: listing.tools.map(({ definition }) => definition) }
}

export function fromSaved(server: string, saved: unknown): Listing {
  if (!isObject(saved)) return EMPTY_LISTING
  const list = (key: string) => (Array.isArray(saved[key]) ? saved[key].filter(isObject) : [])
  return {
    tools: list('tools').map((definition) => toTool(server, definition)),
    resources: list('resources'),
    resourceTemplates: list('resourceTemplates'),
    prompts: list('prompts'),
    skills: Array.isArray(saved['skills']) ? list('skills') : undefined,
    isRemembered: true,
    ...(typeof saved['variant'] === 'string' && { variant: saved['variant'] }),
    ...(list('leftOut').length > 0 && { leftOut: list('leftOut').map(toLeftOut) }),
    capabilities: isObject(saved['capabilities']) ? saved['capabilities'] : {},
    instructions: typeof saved['instructions'] === 'string' ? saved['instructions'] : undefined,
    serverInfo: isObject(saved['serverInfo']) ? saved['serverInfo'] : undefined,
  }
}

function toLeftOut({ kind, name, reason }: JsonObject): LeftOut {
  return { kind: String(kind), name: String(name), reason: String(reason) }
}
