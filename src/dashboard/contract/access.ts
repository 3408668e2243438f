/** The sign-in and keys of a visitor at a server that distinguishes people. */
export interface Connection {
  readonly server: string
  /** `none` if no sign-in has been required yet. */
  readonly state: 'signed-in' | 'needed' | 'none'
  /** Whether everybody uses one sign-in. */
  readonly shared: boolean
  /** Whether the visitor can sign in to it; otherwise it only requires keys. */
  readonly canSignIn: boolean
  readonly signedInAt: string | null
  readonly usedAt: string | null
  readonly scope: string | null
  /** The tools that cannot be called until then. */
  readonly waitingTools: readonly string[]
  /** The keys that it requires of each person, and whether the visitor has set them. */
  readonly keys: readonly { readonly name: string; readonly isSet: boolean }[]
}

export interface UserKeyChange {
  readonly name: string
  readonly value: string
}

export type Role = 'admin' | 'viewer' | 'agent'

export interface Me {
  readonly role: Role
  /** The agent that searches run as; null if the rules have none for it: choose one of `actAs`. */
  readonly agent: string | null
  /** Agents that may be named as `agent`; more than one only where no key is needed. */
  readonly actAs: readonly string[]
  /** `open`: this gateway requires no key; `local`: by the link of `portolan dashboard`. */
  readonly via: 'open' | 'local' | 'key' | 'token' | 'cookie'
  /** Whether the visitor may change something, and not only read it. */
  readonly mayChange: boolean
  readonly version: string
  /** Where agents connect, such as `http://127.0.0.1:7411/mcp`. */
  readonly endpoint: string
}

/** Opened by the link of `portolan dashboard`. */
export interface OpenedSession extends Me {
  /** The value of the header `x-portolan-dashboard` in requests that change something. */
  readonly proof: string
}

export interface Sessions {
  /** Null if people cannot sign in with an account and there are only keys. */
  readonly sessions: readonly Session[] | null
}

/** A place where a person is signed in. */
export interface Session {
  readonly id: string
  /** `dashboard`: this one in a browser; `client`: an MCP client; `browser`: the sign-in pages. */
  readonly kind: 'dashboard' | 'client' | 'browser'
  /** The person or agent. */
  readonly who: string
  readonly via: 'key' | 'user' | 'provider'
  /** The name of the client, or the browser's user agent. */
  readonly name: string | null
  readonly createdAt: string
  readonly expiresAt: string
  /** Whether it is the session of this request. */
  readonly isThis: boolean
}

export interface Users {
  /** Null if people cannot sign in here with a password. */
  readonly users: readonly User[] | null
  /** Names of groups that users, settings or rules have. */
  readonly groups: readonly string[]
}

/** A person who signs in with a password that is stored here. */
export interface User {
  readonly name: string
  readonly groups: readonly string[]
  readonly role: Role
  /** `invited`: has a link to choose a password; `disabled`: can neither sign in nor choose one. */
  readonly state: 'active' | 'invited' | 'disabled'
  readonly createdAt: string
}

export interface UserRights {
  readonly groups: readonly string[]
  readonly role: Role
}

export interface NewUser extends UserRights {
  readonly name: string
  readonly again?: boolean
}

export interface Invitation {
  /** Works once, for whoever has it. */
  readonly link: string
  readonly expiresAt: string
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
  /** Without it, the key never expires. */
  readonly days?: number
}

export interface CreatedKey {
  readonly key: AccessKey
  /** Shown only once: it cannot be recovered from what is stored. */
  readonly secret: string
}

export interface ActAs {
  readonly agent?: string
}
