import { createHash } from 'node:crypto'
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

/** What a server wants before it lets a person in. */
export interface Need {
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: string | undefined
}

/** The sign-in of one person to one server. */
export interface StoredSignIn {
  server: string
  person: string
  tokens: StoredOAuthTokens
  /** When the access token ends, in milliseconds since the epoch. */
  expiresAt: number
  signedInAt: number
  /** What was asked for when the person signed in. */
  scope: string
  need: Need
}

/** Who we are for the authorization server of one MCP server: the same for all people. */
export interface StoredClient {
  client: StoredOAuthClientInformation
  /** The address it was registered with. */
  redirectUrl: string
  /** Of the authorization server that the credentials in the configuration are for. */
  issuer: string
}

/** A sign-in that has begun and waits for the browser to come back. */
export interface PendingSignIn {
  server: string
  person: string
  redirectUrl: string
  verifier: string
  discovery: OAuthDiscoveryState
  scope: string
  /** The hash of what only the browser has that began it; absent where nobody else can come back. */
  browser: string
  expiresAt: number
}

/** When a sign-in was last used; apart, so that it never overwrites a token. */
export interface Usage {
  usedAt: number
}

/** Hashed: addresses and names may contain what must not be in the name of a file. */
export const recordNames = {
  signIn: (url: string, person: string) => `sign-in.${digest(url)}.${digest(person)}`,
  signInsOf: (url: string) => `sign-in.${digest(url)}.`,
  usage: (url: string, person: string) => `usage.${digest(url)}.${digest(person)}`,
  client: (url: string) => `client.${digest(url)}`,
  pending: (state: string) => `pending.${digest(state)}`,
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
