import type { BrowserPlace } from '../../identity/sign-ins/sign-ins.ts'

/** The path prefix of the pages for signing in to servers. */
export const CONNECT = '/connect'

/** Where people reach a gateway: its public address, or that of this machine. */
export function placeAt(origin: string): BrowserPlace {
  const at = (path: string) => `${origin}${path}`
  return {
    callbackUrl: at(`${CONNECT}/callback`),
    // Authorization servers fetch this document, and only over https.
    clientMetadataUrl: origin.startsWith('https:') ? at(`${CONNECT}/client.json`) : undefined,
    startUrl: (server) => at(`${CONNECT}/start/${encodeURIComponent(server)}`),
    connectionsUrl: (server) => at(`/connections?server=${encodeURIComponent(server)}`),
  }
}
