import type { BrowserPlace } from '../../identity/sign-ins/sign-ins.ts'

/** Below this path are the pages of signing in to servers. */
export const CONNECT = '/connect'

/** Where people reach a gateway: its public address, or that of this machine. */
export function placeAt(origin: string): BrowserPlace {
  const at = (path: string) => `${origin}${path}`
  return {
    callbackUrl: at(`${CONNECT}/callback`),
    // Authorization servers read it themselves, and only over https.
    clientMetadataUrl: origin.startsWith('https:') ? at(`${CONNECT}/client.json`) : undefined,
    startUrl: (server) => at(`${CONNECT}/start/${encodeURIComponent(server)}`),
    connectionsUrl: (server) => at(`/connections?server=${encodeURIComponent(server)}`),
  }
}
