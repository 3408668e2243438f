/** What a visitor has at a server that knows people. */
export interface Connection {
  readonly server: string
  /** `none` where nobody has been asked to sign in yet. */
  readonly state: 'signed-in' | 'needed' | 'none'
  /** Whether everybody uses one sign-in. */
  readonly shared: boolean
  /** Whether it can be signed in to; else it only wants keys. */
  readonly canSignIn: boolean
  readonly signedInAt: string | null
  readonly usedAt: string | null
  readonly scope: string | null
  /** The tools that cannot be called before. */
  readonly waitingTools: readonly string[]
  /** The keys that it wants of each person, and whether the visitor has set them. */
  readonly keys: readonly { readonly name: string; readonly isSet: boolean }[]
}

export interface UserKeyChange {
  readonly name: string
  readonly value: string
}

export type Role = 'admin' | 'viewer' | 'agent'

export interface Me {
  readonly role: Role
  /** As whom searches run and are recorded; null where the rules have nobody for it: choose one of `actAs`. */
  readonly agent: string | null
  /** Agents that may be named as `agent`; more than one only where no key is needed. */
  readonly actAs: readonly string[]
  /** `open`: this gateway asks nobody for a key. */
  readonly via: 'open' | 'key' | 'token' | 'cookie'
  readonly version: string
  /** Where agents connect, such as `http://127.0.0.1:7411/mcp`. */
  readonly endpoint: string
}

export interface Sessions {
  /** Null where people cannot sign in with an account, and keys are all there is. */
  readonly sessions: readonly Session[] | null
}

/** Somewhere that somebody is signed in. */
export interface Session {
  readonly id: string
  /** `dashboard`: this dashboard in a browser; `client`: an MCP client; `browser`: the pages of sign-in. */
  readonly kind: 'dashboard' | 'client' | 'browser'
  /** The person or agent. */
  readonly who: string
  readonly via: 'key' | 'user' | 'provider'
  /** The client, or what the browser calls itself. */
  readonly name: string | null
  readonly createdAt: string
  readonly expiresAt: string
  /** Whether it is the one that asks. */
  readonly isThis: boolean
}

/** A key, without its secret. */
export interface AccessKey {
  readonly id: string
  readonly agent: string
  readonly role: Role
  readonly state: 'good' | 'expired' | 'revoked'
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

export interface NewAccessKey {
  readonly agent: string
  readonly role: Role
  /** Good for ever when absent. */
  readonly days?: number
}

export interface CreatedKey {
  readonly key: AccessKey
  /** Shown once: nothing that is kept leads back to it. */
  readonly secret: string
}

export interface ActAs {
  readonly agent?: string
}
