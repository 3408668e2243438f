import { sep } from 'node:path'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import { readTrust, verdictOn } from '../../config/trust/trust-list.ts'
import { type ClientProfile, profileOfAgent } from '../../protocol/client-profiles.ts'
import type { Machine } from './machine.ts'

export const CLIENT_IDS = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'windsurf',
  'zed',
  'gemini',
  'codex',
  'qwen',
  'opencode',
  'kimi',
  'copilot',
  'goose',
  'amp',
  'cline',
  'roo',
  'kiro',
  'lmstudio',
  'junie',
] as const
export type ClientId = (typeof CLIENT_IDS)[number]

export type Scope = 'user' | 'project'

/** One place where a client keeps MCP servers. */
export interface ClientConfig {
  readonly scope: Scope
  readonly file: string
  readonly format: 'json' | 'toml' | 'yaml'
  /** The keys that lead to the servers. */
  readonly keys: readonly string[]
  /** Whether a new entry may be put there, rather than only read. */
  readonly writable: boolean
}

/** How a client reaches Portolan. `key` names the variable that holds the agent's key. */
export type Endpoint =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      /** Variables that are not secret. */
      readonly env: Readonly<Record<string, string>>
      readonly key: string | undefined
    }
  | { readonly kind: 'http'; readonly url: string; readonly key: string | undefined }

/** An MCP client: where its configuration is, and how an entry in it is written. */
export interface McpClient {
  readonly id: ClientId
  readonly name: string
  readonly configFiles: (machine: Machine) => readonly ClientConfig[]
  /** Returns an entry for Portolan, or a text: why this endpoint is impossible, and what to do. */
  readonly entry: (endpoint: Endpoint) => JsonObject | string
  /** Its name as an agent, if that is another one. */
  readonly agent?: string
  /** Converts one of its entries to the keys of `.mcp.json`; a text says why that is impossible. */
  readonly read?: (entry: JsonObject) => JsonObject | string
  /** Its references to environment variables, if they are not `${NAME}` or `${env:NAME}`. */
  readonly variables?: RegExp
  /** What a person must do for the change to take effect. */
  readonly afterwards: string
}

/** Returns the entry to write for Portolan, or a text: why this endpoint is impossible. */
export function portolanEntry(client: McpClient, endpoint: Endpoint): JsonObject | string {
  const entry = client.entry(endpoint)
  return typeof entry === 'string' ? entry : { ...entry, ...profileOf(client)?.alwaysLoad }
}

export function profileOf({ id, agent = id }: McpClient): ClientProfile | undefined {
  return profileOfAgent(agent)
}

/** Whether models see only the names of the tools of this server until they search. */
export function isDeferred(client: McpClient, entry: unknown): boolean {
  const alwaysLoad = profileOf(client)?.alwaysLoad
  if (alwaysLoad === undefined) return false
  return !Object.entries(alwaysLoad).every(
    ([key, value]) => isObject(entry) && entry[key] === value,
  )
}

/** Whether the file is inside the project, so that a team may have it under version control. */
export function isTeamFile({ scope, file }: ClientConfig, { cwd }: Machine): boolean {
  return scope === 'project' && file.startsWith(cwd + sep)
}

/** Whether a person has accepted the content of a file: it is their own, or they trusted it. */
export function isAccepted(config: ClientConfig, machine: Machine): boolean {
  if (machine.cwd === machine.home || !isTeamFile(config, machine)) return true
  const text = readFoundFile(config.file)
  return text !== undefined && verdictOn(config.file, text, readTrust(machine).files) === 'trusted'
}
