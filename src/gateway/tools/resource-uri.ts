/**
 * The URI of a resource as clients know it: the one its server gave it, with the name of the server in
 * it. `ui://map/view.html` of the server `weather` is `ui://weather+map/view.html`, so that no server
 * can answer for the resource of another. `skill://pdf/SKILL.md` is `skill://weather+/pdf/SKILL.md`. The scheme stays, because hosts look for `ui:` and its like.
 *
 * Where the text after the scheme means something to any program (a host on the network, a local
 * path), or where there is no scheme, the whole URI follows the name:
 * `portolan:files+file:///tmp/a.txt`.
 */
const WHOLE = 'portolan:'

/** A host on the network or a local path; a host in brackets is an IP address, and nothing may be before it. */
const WELL_KNOWN = /^(?:(?:https?|wss?|ftp|file|portolan):|[a-z][a-z\d+.-]*:\/\/\[)/i
const SCHEME = /^[a-z][a-z\d+.-]*:(?:\/\/)?/i
const MARK = '+'
/** The last folder of a skill must have its name, so that the server gets a folder of its own. */
const SKILL = 'skill://'

/** Also for URI templates, whose expressions stay what they are. */
export function exposedUri(server: string, uri: string): string {
  const scheme = schemeOf(uri)
  const owner = `${encodeName(server)}${MARK}`
  if (scheme === undefined) return `${WHOLE}${owner}${uri}`
  const separator = scheme === SKILL ? '/' : ''
  return `${scheme}${owner}${separator}${uri.slice(scheme.length)}`
}

export interface OwnedUri {
  readonly server: string
  /** As the server itself knows it. */
  readonly uri: string
}

/** The reverse; undefined for a URI that names no server. The name may be of a server that does not exist. */
export function parseExposedUri(exposed: string): OwnedUri | undefined {
  const scheme = exposed.startsWith(WHOLE) ? WHOLE : schemeOf(exposed)
  if (scheme === undefined) return undefined
  const end = exposed.indexOf(MARK, scheme.length)
  const server = end === -1 ? undefined : decodeName(exposed.slice(scheme.length, end))
  if (server === undefined) return undefined
  const separated = scheme === SKILL && exposed.startsWith('/', end + MARK.length)
  const rest = exposed.slice(end + MARK.length + (separated ? 1 : 0))
  return { server, uri: scheme === WHOLE ? rest : `${scheme}${rest}` }
}

/** What the name of the server is put after; undefined where it goes before the whole. */
function schemeOf(uri: string): string | undefined {
  return WELL_KNOWN.test(uri) ? undefined : SCHEME.exec(uri)?.[0]
}

/** What a host name may hold whoever parses it: percent signs are refused there by some. */
function encodeName(name: string): string {
  return name.replaceAll(/[^\w.-]/gu, (char) => `~${char.codePointAt(0)?.toString(16)}~`)
}

function decodeName(text: string): string | undefined {
  const name = text.replaceAll(/~([\da-f]{1,6})~/g, (_, code: string) => toChar(code))
  return name !== '' && encodeName(name) === text ? name : undefined
}

function toChar(hex: string): string {
  const code = Number.parseInt(hex, 16)
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
}
