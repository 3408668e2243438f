import { isIP } from 'node:net'
import { type Answer, INVISIBLE } from './within.ts'

/** A URL whose host every program reads in the same way. */
const PLAIN = /^(https?|wss?):\/\/([a-z\d.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?(?:[/?#]|$)/i
/** A host name; what ends in a number may be an address in another notation. */
const NAME = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z](?:[a-z\d-]{0,61}[a-z\d])?$/
const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  http: '80',
  https: '443',
  ws: '80',
  wss: '443',
}

/**
 * Compiles the keyword `host`: whether the host of a URL is one of these. An entry is a name, an
 * address, or `*.example.com` for all names below that; with a port, only that port. Names are not
 * looked up.
 */
export function compileHost(entries: readonly string[]): (url: string) => Answer {
  const hosts = entries.map(parseHostEntry)
  return (url) => {
    if (url !== last.url) last = { url, place: placeOf(url) }
    const { place } = last
    if (!place) return 'unsure'
    const { name, port } = place
    const named = hosts.filter((host) => host?.matches(name))
    if (named.some((host) => host?.port === port)) return 'yes'
    // Another port of the same host may be another service, or a proxy to it.
    return named.length > 0 || port !== undefined ? 'unsure' : 'no'
  }
}

interface HostEntry {
  readonly port: string | undefined
  matches(name: string): boolean
}

/** Returns undefined if the entry is not a host. */
export function parseHostEntry(entry: string): HostEntry | undefined {
  const [, below, host = '', port] =
    /^(\*\.)?(\[[^\]]+\]|[^:/@]+)(?::(\d{1,5}))?$/.exec(entry) ?? []
  const name = host.toLowerCase()
  if (!isCanonical(name)) return undefined
  if (below === undefined) return { port, matches: (given) => given === name }
  return isAddress(name) ? undefined : { port, matches: (given) => given.endsWith(`.${name}`) }
}

interface HostAndPort {
  readonly name: string
  readonly port: string | undefined
}

/** The last URL, since many conditions of one file judge the same argument. */
let last: { readonly url: string; readonly place: HostAndPort | undefined } = {
  url: '',
  place: undefined,
}

/** Returns the host of a URL, and a port that is not the usual one; undefined if it is not plain. */
function placeOf(url: string): HostAndPort | undefined {
  const [whole = '', scheme = '', host = '', port] = PLAIN.exec(url) ?? []
  if (whole === '' || url.includes('\\') || INVISIBLE.test(url)) return undefined
  // Some programs take what comes before the "@" for the name of a user.
  if (!whole.endsWith('/') && url.includes('@', whole.length)) return undefined
  const name = host.toLowerCase()
  if (!isCanonical(name)) return undefined
  return { name, port: port === DEFAULT_PORTS[scheme.toLowerCase()] ? undefined : port }
}

/** Whether a host in lower case is written as the URL standard writes it. */
function isCanonical(name: string): boolean {
  if (name.length > 253) return false
  if (NAME.test(name) && !name.includes('xn--')) return true
  // An IPv4 address inside an IPv6 address is the same host under another name.
  if (/^\[(?:::|64:ff9b:|2002:)/.test(name) && name !== '[::1]' && name !== '[::]') return false
  try {
    return !name.endsWith('.') && new URL(`http://${name}/`).hostname === name
  } catch {
    return false
  }
}

function isAddress(name: string): boolean {
  return name.startsWith('[') || isIP(name) !== 0
}
