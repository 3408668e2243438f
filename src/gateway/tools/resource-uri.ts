/**
 * The URI of a resource as clients know it: the server's own URI with the name of the server in it.
 * `ui://map/view.html` of the server `weather` is `ui://weather+map/view.html`, so that no server
 * can answer for the resource of another. `skill://pdf/SKILL.md` is
 * `skill://weather+/pdf/SKILL.md`. The scheme stays, because hosts look for `ui:` and its like.
 *
 * Where the text after the scheme means something to any program (a host on the network, a local
 * path), or where there is no scheme, the whole URI follows the name:
 * `portolan:files+file:///tmp/a.txt`.
 */
const WHOLE = 'portolan:'

/** A network host or a local path; nothing may precede a bracketed host, which is an IP address. */
const WELL_KNOWN = /^(?:(?:https?|wss?|ftp|file|portolan):|[a-z][a-z\d+.-]*:\/\/\[)/i
const SCHEME = /^[a-z][a-z\d+.-]*:(?:\/\/)?/i
const MARK = '+'
/** The last folder of a skill must have its name, so the server name is a separate folder. */
const SKILL = 'skill://'

/** Returns the exposed URI, also for URI templates, whose expressions stay as they are. */
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

/** Parses an exposed URI; undefined if it names no server. The server need not exist. */
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

/** Returns the part before the server name; undefined if that goes before the whole URI. */
function schemeOf(uri: string): string | undefined {
  return WELL_KNOWN.test(uri) ? undefined : SCHEME.exec(uri)?.[0]
}

/** Encodes a name for use as a host; not with percent signs, which some parsers refuse there. */
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
