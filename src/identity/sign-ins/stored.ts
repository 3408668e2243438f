import { createHash } from 'node:crypto'
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { SignInServer } from './server.ts'

/** What a server requires before it accepts a person. */
export interface Need {
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: string | undefined
}

/** The sign-in of one person to one entry of a server. */
export interface StoredSignIn {
  server: string
  person: string
  tokens: StoredOAuthTokens
  /** When the access token expires, in milliseconds since the epoch. */
  expiresAt: number
  signedInAt: number
  /** The scope that was asked for when the person signed in. */
  scope: string
  need: Need
}

/** Our client at the authorization server of one MCP server, the same for all people. */
export interface StoredClient {
  client: StoredOAuthClientInformation
  /** The address it was registered with. */
  redirectUrl: string
  /** The authorization server that the configured credentials are for. */
  issuer: string
}

/** A sign-in that has begun and waits for the browser to return. */
export interface PendingSignIn {
  server: string
  person: string
  redirectUrl: string
  verifier: string
  discovery: OAuthDiscoveryState
  scope: string
  /** The hash of a secret of the browser that began it; absent if no other browser can return. */
  browser: string
  expiresAt: number
}

/** When a sign-in was last used; a separate record, so that it never overwrites a token. */
export interface Usage {
  usedAt: number
}

type Entry = Pick<SignInServer, 'name' | 'url'>

/**
 * Hashed, as addresses and names may contain characters that file names cannot. A sign-in belongs to
 * the entry of a server, as another entry for the same URL may be for another account there.
 */
export const recordNames = {
  signIn: (entry: Entry, person: string) => `sign-in.${digestOf(entry)}.${digest(person)}`,
  usage: (entry: Entry, person: string) => `usage.${digestOf(entry)}.${digest(person)}`,
  /** The names that an earlier version gave them, by the URL alone. */
  earlier: ({ url }: Entry, person: string) => ({
    signIn: `sign-in.${digest(url)}.${digest(person)}`,
    usage: `usage.${digest(url)}.${digest(person)}`,
  }),
  client: (url: string) => `client.${digest(url)}`,
  pending: (state: string) => `pending.${digest(state)}`,
}

function digestOf({ name, url }: Entry): string {
  return digest(JSON.stringify([name, url]))
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
