import { z } from 'zod'
import { GuardedHttp } from '../../../../base/net/guarded-http.ts'
import { isLocalName, isPrivateAddress } from '../../../../base/net/net.ts'
import { readFoundFile } from '../../../../base/files/read-found-file.ts'
import { reasonOf } from '../../../../base/errors.ts'
import { GatewayError } from '../../../../gateway/errors.ts'
import { type Workspace, expandPath } from '../../../paths.ts'
import { type RegistryEntry, toRegistryEntry } from './registry-server.ts'

/** A server that a registry has, and the address or file of that registry. */
export interface RegistryHit extends RegistryEntry {
  readonly registry: string
}

export interface RegistrySearch {
  readonly hits: readonly RegistryHit[]
  /** Registries that could not be searched, and why. */
  readonly problems: readonly string[]
}

export interface Registries {
  /** Addresses, or paths of downloaded snapshots, in the order of preference. */
  readonly registries: readonly string[]
  readonly place: Workspace
}

const MAX_MS = 15_000
const MAX_BYTES = 16 * 1024 * 1024
/** The most entries of one answer; the registry's own limit. */
const MAX_ENTRIES = 100
const MAX_WORDS = 5

const page = z.object({ servers: z.array(z.unknown()) })

/**
 * Searches all registries for servers in whose name, title or description the words are; those with
 * more of the words first. The official registry searches names alone.
 */
export async function searchRegistries(
  words: readonly string[],
  { registries, place }: Registries,
): Promise<RegistrySearch> {
  const wanted = words.map((word) => word.toLowerCase()).slice(0, MAX_WORDS)
  const found = await Promise.allSettled(
    registries.map(async (registry) => {
      const entries = isSnapshot(registry)
        ? readSnapshot(registry, place)
        : (await Promise.all(wanted.map(async (word) => searchOne(registry, word)))).flat()
      return entries.map((entry) => ({ ...entry, registry }))
    }),
  )
  const byName = new Map<string, RegistryHit>()
  for (const hit of found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))) {
    const known = byName.get(hit.server.name)
    if (hit.status !== 'deleted' && (!known || isNewer(hit, known)))
      byName.set(hit.server.name, hit)
  }
  const ranked = [...byName.values()]
    .map((hit) => ({ hit, score: scoreOf(hit, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
  const problems = found.flatMap((one) =>
    one.status === 'rejected' ? [one.reason instanceof Error ? one.reason.message : ''] : [],
  )
  if (problems.length === registries.length) throw allFailed(found)
  return { hits: ranked.map(({ hit }) => hit), problems }
}

/** Of two entries of one registry, the one that it calls the latest; else the first registry's. */
function isNewer(hit: RegistryHit, known: RegistryHit): boolean {
  if (hit.registry !== known.registry) return false
  if (hit.isLatest !== known.isLatest) return hit.isLatest
  return hit.server.version.localeCompare(known.server.version, 'en', { numeric: true }) > 0
}

function scoreOf({ server, status }: RegistryHit, words: readonly string[]): number {
  const { name, title = '', description } = server
  const own = name.toLowerCase().replace(/^.*\//, '')
  const texts = `${name} ${title} ${description}`.toLowerCase()
  const matched = words.filter((word) => texts.includes(word)).length
  const inName = words.filter((word) => own.includes(word)).length
  return matched * 10 + inName * 3 - (matched > 0 && status !== 'active' ? 1 : 0)
}

/**
 * Returns one server of the first registry that has it. A registry that does not answer is not passed
 * over: the next one might have another server of the same name.
 */
export async function findInRegistries(
  name: string,
  version: string | undefined,
  { registries, place }: Registries,
): Promise<RegistryHit> {
  for (const registry of registries) {
    const entry = isSnapshot(registry)
      ? newestIn(readSnapshot(registry, place), name, version)
      : await readOne(registry, name, version)
    if (entry && entry.server.name === name && entry.status !== 'deleted')
      return { ...entry, registry }
  }
  const wanted = version === undefined ? name : `${name}@${version}`
  throw new GatewayError('SERVER_NOT_FOUND', `No registry has ${wanted}`, {
    hint: `portolan server search ${name.replace(/^.*\//, '')}`,
  })
}

function newestIn(entries: readonly RegistryEntry[], name: string, version?: string) {
  const own = entries
    .filter(({ server }) => server.name === name)
    .map((entry) => ({ ...entry, registry: '' }))
  if (version !== undefined) return own.find(({ server }) => server.version === version)
  return own.toSorted((one, other) => (isNewer(one, other) ? -1 : 1))[0]
}

export function isSnapshot(registry: string): boolean {
  return !/^https?:\/\//i.test(registry)
}

/** Whether a registry is on a private address, where its servers may be on one too. */
export function isPrivateRegistry(registry: string): boolean {
  return !isSnapshot(registry) && isPrivateHost(new URL(registry).hostname)
}

export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  return isPrivateAddress(host) || isLocalName(host)
}

function readSnapshot(file: string, place: Workspace): RegistryEntry[] {
  const path = expandPath(file, place)
  try {
    const content: unknown = JSON.parse(readFoundFile(path) ?? '')
    const whole = page.safeParse(content)
    const entries = whole.data?.servers ?? (Array.isArray(content) ? content : [content])
    return entries.flatMap((entry) => toRegistryEntry(entry) ?? [])
  } catch (cause) {
    throw new GatewayError('INVALID_PARAMS', `The snapshot ${path} cannot be read`, {
      hint: 'It must be an answer of /v0.1/servers, or a list of server.json. `registries` in your portolan.yaml names it.',
      cause,
    })
  }
}

async function searchOne(registry: string, word: string): Promise<RegistryEntry[]> {
  const query = new URLSearchParams({
    search: word,
    version: 'latest',
    limit: String(MAX_ENTRIES),
  })
  const content = await read(registry, `servers?${query.toString()}`)
  const { data } = page.safeParse(content)
  if (!data) throw unusable(registry, 'its answer is not that of a registry')
  return data.servers.slice(0, MAX_ENTRIES).flatMap((entry) => toRegistryEntry(entry) ?? [])
}

async function readOne(
  registry: string,
  name: string,
  version = 'latest',
): Promise<RegistryEntry | undefined> {
  const path = `servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`
  const content = await read(registry, path)
  if (content === undefined) return undefined
  const entry = toRegistryEntry(content)
  if (!entry) throw unusable(registry, `its entry ${name} has mistakes`)
  return entry
}

/** Addresses come from the person's own settings, which may name a registry of their network. */
const http = new GuardedHttp({
  tooLarge: (bytes) => new Error(`its answer has more than ${bytes} bytes`),
  refused: (host, is) => new Error(`${host} is ${is}`),
  connections: 4,
})

/** Returns the JSON at a path of a registry; undefined if it has nothing there. */
async function read(registry: string, path: string): Promise<unknown> {
  const base = registry.replace(/\/+$/, '').replace(/\/v0(?:\.1)?$/, '')
  try {
    const { status, body } = await http.send({
      method: 'GET',
      url: new URL(`${base}/v0.1/${path}`),
      headers: { accept: 'application/json', 'user-agent': 'portolan' },
      signal: AbortSignal.timeout(MAX_MS),
      // Nobody can lead a name with a certificate elsewhere.
      allowPrivate: /^https:/i.test(registry) || isPrivateRegistry(registry),
      maxBytes: MAX_BYTES,
    })
    if (status === 404) return undefined
    if (status !== 200) throw new Error(`it answered HTTP ${status}`)
    return JSON.parse(new TextDecoder().decode(body))
  } catch (error) {
    throw unusable(registry, reasonOf(error), error)
  }
}

function unusable(registry: string, why: string, cause?: unknown): GatewayError {
  return new GatewayError('SERVER_UNAVAILABLE', `The registry ${registry} cannot be used: ${why}`, {
    hint: 'Without a network, put the path of a downloaded answer of /v0.1/servers into `registries` in your portolan.yaml.',
    cause,
  })
}

function allFailed(found: readonly PromiseSettledResult<unknown>[]): unknown {
  const [first] = found
  return first?.status === 'rejected'
    ? first.reason
    : new GatewayError('INVALID_PARAMS', 'No registry is set', {
        hint: 'Name one in `registries` of your portolan.yaml.',
      })
}
