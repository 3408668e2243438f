import { visibleName } from '../../../base/text/visible.ts'

/** Schemes with a host that reach other machines, or parts of the system, and no application. */
const NOT_OF_APPLICATIONS =
  /^(?:wss?|ftps?|sftp|ssh|telnet|file|smb|nfs|ldaps?|rdp|vnc|git|gopher|imap|pop|nntp|rtsp|ms-.*|.*-ms|chrome.*|edge|about|devtools|resource|moz-.*|jar|blob):$/

/**
 * Whether a browser may be sent to this address after a sign-in: a web address, which the library
 * checks further, or one of an application, such as `cursor://host/path` or `com.example.app:/path`.
 * Other schemes start programs of the system with arguments of the client's choice.
 */
export function isRedirectTarget(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, host } = new URL(uri)
  if (protocol === 'https:' || protocol === 'http:') return true
  if (NOT_OF_APPLICATIONS.test(protocol)) return false
  return host !== '' || protocol.includes('.')
}

/** Returns what is wrong with the metadata of a client; makes its name what people see of it. */
export function checkClient(metadata: {
  redirect_uris?: unknown
  client_name?: unknown
}): string | undefined {
  const { redirect_uris: uris, client_name: name } = metadata
  if (typeof name === 'string') metadata.client_name = visibleName(name) || undefined
  if (!Array.isArray(uris)) return undefined
  const wrong = uris.find((uri) => typeof uri === 'string' && !isRedirectTarget(uri))
  return wrong === undefined
    ? undefined
    : 'redirect_uris must be web addresses, or those of an application: scheme://host/path'
}
