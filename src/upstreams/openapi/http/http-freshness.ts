import type { Freshness } from '../../../protocol/freshness.ts'
import type { HttpResponse } from './http-client.ts'
import type { Method } from './methods.ts'

export interface Exchange {
  readonly method: Method
  /** The headers that were sent, with names in lower case. */
  readonly sent: Readonly<Record<string, string>>
  readonly hasCredentials: boolean
  /** Names of headers whose values differ between calls that are otherwise the same. */
  readonly varying: readonly string[]
  /** In milliseconds since the epoch. */
  readonly sentAt: number
  readonly receivedAt: number
  readonly response: HttpResponse
}

const STORED = ['cache-control', 'expires', 'date', 'age', 'vary', 'etag', 'last-modified']
/** Headers of a request whose answer is for this request alone. */
const OWN_CONDITIONS = [
  'cache-control',
  'pragma',
  'range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
]
/** Longer times are all the same to a cache (RFC 9111, 1.2.2). */
const MAX_SECONDS = 2 ** 31

/**
 * Returns what an answer says about using it again (RFC 9111, for a private cache), and `undefined`
 * if it says nothing. Nothing is guessed: without an explicit time it has none. `stored` is the
 * earlier answer that a `304 Not Modified` confirms.
 */
export function readFreshness(exchange: Exchange, stored?: Freshness): Freshness | undefined {
  const { method, receivedAt, response } = exchange
  const isConfirmed = response.status === 304 && stored !== undefined
  const headers = {
    ...(isConfirmed && lastingHeaders(stored)),
    ...storedHeaders(response.headers),
  }
  const directives = parseCacheControl(headers['cache-control'])
  const ageSeconds = ageOf(exchange)
  const common = {
    madeAt: receivedAt - ageSeconds * 1000,
    headers,
    ...(isConfirmed && { notModified: true }),
  }
  if (directives.has('no-store')) return { ...common, noStore: true }
  if (!READS.has(method) || !(isConfirmed || isWhole(response))) return undefined
  if (isForThisRequest(exchange, headers['vary'])) return { ...common, noStore: true }
  return {
    ...common,
    scope: scopeOf(directives, exchange),
    ttlMs: ttlOf(directives, headers, { receivedAt, ageSeconds }),
    staleMs: staleOf(directives),
  }
}

const READS: ReadonlySet<Method> = new Set(['get', 'head'])

function isWhole({ status }: HttpResponse): boolean {
  return status >= 200 && status <= 299 && status !== 206
}

/** Returns the headers that ask a server whether a stored answer is still right. */
export function validatorsFor(
  { headers: { etag, 'last-modified': modified } }: Freshness,
  sent: Readonly<Record<string, string>>,
): Record<string, string> {
  if (hasOwnConditions(sent)) return {}
  if (etag !== undefined) return { 'if-none-match': etag }
  return modified === undefined ? {} : { 'if-modified-since': modified }
}

/** Whether a `304` is about the stored answer, and not about one that somebody else has. */
export function confirms({ headers }: HttpResponse, stored: Freshness): boolean {
  const [said, known] = [headers['etag'], stored.headers['etag']]
  return said === undefined || known === undefined || opaqueTag(said) === opaqueTag(known)
}

function opaqueTag(tag: string): string {
  return tag.replace(/^W\//, '')
}

/** Returns the headers of a stored answer that a confirmation without them does not change. */
function lastingHeaders({ headers }: Freshness): Record<string, string> {
  const { date: _date, age: _age, ...lasting } = headers
  return lasting
}

function storedHeaders(headers: HttpResponse['headers']): Record<string, string> {
  return Object.fromEntries(
    STORED.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Parses the directives; of several with the same name the first counts. */
function parseCacheControl(text = ''): Map<string, string> {
  const directives = new Map<string, string>()
  for (const [, name = '', quoted, token = ''] of text.matchAll(DIRECTIVE)) {
    const key = name.toLowerCase()
    if (!directives.has(key)) directives.set(key, quoted ?? token)
  }
  return directives
}

const DIRECTIVE = /([^\s,;="]+)(?:=(?:"((?:[^"\\]|\\.)*)"?|([^\s,"]*)))?/g

/** Returns how long the answer may still be used; undefined if it does not say. */
function ttlOf(
  directives: ReadonlyMap<string, string>,
  { expires, date }: Readonly<Record<string, string>>,
  { receivedAt, ageSeconds }: { readonly receivedAt: number; readonly ageSeconds: number },
): number | undefined {
  if (directives.has('no-cache')) return 0
  const maxAge = directives.get('max-age')
  if (maxAge === undefined && expires === undefined) return undefined
  // What cannot be understood is in the past.
  const seconds =
    maxAge === undefined
      ? ((parseDate(expires) ?? -Infinity) - (parseDate(date) ?? receivedAt)) / 1000
      : (parseSeconds(maxAge) ?? 0)
  return Math.max(0, Math.min(seconds, MAX_SECONDS) - ageSeconds) * 1000
}

function scopeOf(
  directives: ReadonlyMap<string, string>,
  { hasCredentials }: Exchange,
): Freshness['scope'] {
  if (directives.has('private')) return 'private'
  return directives.has('public') && !hasCredentials ? 'public' : undefined
}

/** Returns the age at receipt: what caches on the way said, or what the clocks say if it is more. */
function ageOf({ response: { headers }, sentAt, receivedAt }: Exchange): number {
  const said = parseSeconds(headers['age']?.split(',')[0]?.trim()) ?? 0
  const madeAt = parseDate(headers['date']) ?? receivedAt
  // A `Date` has whole seconds.
  const byClock = Math.max(0, Math.floor(receivedAt / 1000) - madeAt / 1000)
  return Math.max(said + (receivedAt - sentAt) / 1000, byClock)
}

function staleOf(directives: ReadonlyMap<string, string>): number | undefined {
  if (directives.has('must-revalidate') || directives.has('no-cache')) return 0
  const seconds = parseSeconds(directives.get('stale-if-error'))
  return seconds === undefined ? undefined : seconds * 1000
}

/** Whether an equal call may get another answer, so that this one is of no use to it. */
function isForThisRequest({ sent, varying, response }: Exchange, vary = ''): boolean {
  const names = vary.split(',').map((name) => name.trim().toLowerCase())
  const varies = names.some((name) => name === '*' || varying.includes(name))
  // A redirect may lead elsewhere next time, whatever the answer at its end says.
  return varies || response.redirected === true || hasOwnConditions(sent)
}

function hasOwnConditions(sent: Readonly<Record<string, string>>): boolean {
  return OWN_CONDITIONS.some((name) => name in sent)
}

function parseSeconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), MAX_SECONDS) : undefined
}

/** Reads the one format that servers may write; the obsolete ones count as unreadable. */
function parseDate(text: string | undefined): number | undefined {
  if (text === undefined || !HTTP_DATE.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}

const HTTP_DATE = /^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/i
