import type { JsonObject } from '../../base/json/json.ts'
import type { AcceptedLists } from '../../gateway/tools/accepted.ts'
import type { LockedPackage } from '../../gateway/tools/locked-package.ts'
import type { ServerOverrides } from '../../gateway/tools/overrides.ts'
import type { BuiltinName } from '../../builtins/index.ts'

export type { BuiltinName }

export const PROTOCOLS = ['auto', '2025-11-25', '2026-07-28'] as const
export const SESSIONS = ['auto', 'shared', 'per-session', 'per-agent', 'per-call'] as const

export const GRANTS = ['authorization_code', 'client_credentials'] as const
export const TOKENS = ['per-person', 'shared'] as const

/** How to sign in to a remote server. */
export interface OAuthConfig {
  readonly tokens: (typeof TOKENS)[number]
  readonly grant: (typeof GRANTS)[number]
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  readonly privateKey?: string | undefined
  readonly algorithm?: string | undefined
  readonly scope?: string | undefined
  readonly issuer?: string | undefined
  readonly clientMetadataUrl?: string | undefined
}

/** Names or patterns of tools to offer exclusively, and of those to leave out. */
export interface ToolChoice {
  readonly only?: readonly string[]
  readonly without?: readonly string[]
}

/** Where an entry is, and what was accepted of its server there. */
export interface ServerOrigin {
  readonly file: string
  /** What the lock beside the file says of the server. */
  readonly locked?: (AcceptedLists & { readonly package?: LockedPackage | undefined }) | undefined
  /** Why the lock is about another server; then nothing of this one is used. */
  readonly wrongDestination?: string
}

interface Common {
  readonly name: string
  /** Absent for servers that are in no file, and for those in this process. */
  readonly origin?: ServerOrigin | undefined
  readonly description?: string | undefined
  readonly enabled: boolean
  readonly protocol: (typeof PROTOCOLS)[number]
  readonly session: (typeof SESSIONS)[number]
  /** Which of its tools it offers; undefined for all. */
  readonly tools?: ToolChoice | undefined
  /** A second choice, of a changed entry that nobody has trusted: both must offer a tool. */
  readonly changedTools?: ToolChoice | undefined
  /** How agents see its tools. */
  readonly overrides?: ServerOverrides | undefined
  /** The overrides of a changed entry that nobody has trusted: what they hide is hidden. */
  readonly changedOverrides?: ServerOverrides | undefined
  readonly timeoutMs?: number | undefined
  readonly maxConcurrency?: number | undefined
  readonly maxConnections?: number | undefined
  /** Unknown keys, as in the file. */
  readonly extra: Readonly<JsonObject>
}

/** What a program in a sandbox may use beside what every one of them has. */
export interface SandboxEntry {
  readonly read: readonly string[]
  readonly write: readonly string[]
  readonly network: 'any' | 'none' | readonly string[]
  /** Names of variables. */
  readonly env: readonly string[]
}

export interface StdioServer extends Common {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Absolute; a relative path in the file is relative to the folder of that file. */
  readonly cwd?: string | undefined
  /** Where it runs without `cwd`, if its file applies in every folder. */
  readonly scope?: 'user' | 'folder' | undefined
  /** Undefined for a program that runs with all rights of this user. */
  readonly sandbox?: SandboxEntry | undefined
  /** The keys of each person that `env` refers to, as in `${user.NAME}`. */
  readonly userKeys: readonly string[]
  /** The package that its command is, by the lock beside its file. */
  readonly locked?: LockedPackage | undefined
}

export interface HttpServer extends Common {
  readonly kind: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly oauth: OAuthConfig
  /** The keys of each person that `headers` refer to, as in `${user.NAME}`. */
  readonly userKeys: readonly string[]
  /** The `transport` or `type` of the file, as a hint; `sse` means the old transport. */
  readonly transport?: string | undefined
}

export interface BuiltinServer extends Common {
  readonly kind: 'builtin'
  readonly builtin: BuiltinName
}

export interface OpenApiServer extends Common {
  readonly kind: 'openapi'
  /** An absolute path, an http(s) URL, or the name of a pack. Its further keys are in `extra`. */
  readonly openapi: string
  /** The hash of the description that a person has trusted; undefined for any description. */
  readonly sha256?: string | undefined
  /** The hash of the description as it was read, so that a server is replaced when it changes. */
  readonly revision?: string | undefined
}

/** A server with unset variables or mistakes, which is listed with its error and stops no other. */
export interface BrokenServer {
  readonly kind: 'broken'
  readonly name: string
  readonly description?: string | undefined
  readonly enabled: boolean
  readonly error: string
  /** A tape may answer in its place. */
  readonly overrides?: ServerOverrides | undefined
}

export type ServerConfig = StdioServer | HttpServer | BuiltinServer | OpenApiServer | BrokenServer
