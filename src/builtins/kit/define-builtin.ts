import type { Command } from 'commander'
import type { Environment } from '../../base/environment.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { SettingTable } from '../../base/setting-table.ts'
import type { Service } from '../../protocol/service.ts'
import type { EmbedderSettings } from '../../search/embed/create-embedder.ts'
import type { Embedder } from '../../search/embed/embedder.ts'
import type { Storage } from '../../storage/storage.ts'
import type { BuiltinApi } from './builtin-api.ts'

/**
 * The manifest of a server that comes with Portolan: everything the gateway, the settings and the
 * command line know about it. A manifest is loaded with every start, so it imports the code of its
 * built-in only inside its functions.
 */
export interface Builtin<Name extends string = string> {
  /** Its name in `.mcp.json`, in the settings, on the command line and among the servers. */
  readonly name: Name
  /** One line for the reference of the settings. */
  readonly title: string
  /** What it is for; shown by list_servers. */
  readonly description: string
  /** One sentence on when to use it, for agents that search for tools instead of seeing them all. */
  readonly advice?: string
  /** Keys of its own in the entry that the gateway makes where `.mcp.json` has none. */
  readonly defaults?: Readonly<JsonObject>
  /** Its section of `portolan.yaml`, which has its name; the built-in reads it as variables. */
  readonly settings?: SettingTable
  open(context: BuiltinContext): Promise<Service>
  /** How it runs by itself, as `portolan <name> mcp`. */
  readonly standalone?: Standalone
  /** An HTTP API beside its tools. */
  readonly api?: BuiltinApi
  /** Adds commands beside `mcp` to `portolan <name>`. */
  readonly commands?: () => Promise<(command: Command) => void>
}

/** What a built-in is given to work with. */
export interface BuiltinContext {
  /** The data folder. */
  readonly home: string
  /** With its section of the settings in it. */
  readonly env: Environment
  /** Where it was started. */
  readonly cwd: string
  /** The keys of its entry in `.mcp.json` that only the built-in knows. */
  readonly options: Readonly<JsonObject>
  /** The project that it was started in. */
  readonly project: () => string
  /** The database: closing it leaves one that is shared open. */
  readonly openStorage: () => Promise<Storage>
  /** Which embedder the settings name, in a form that a thread can be given. */
  readonly embedding: () => EmbedderSettings
  /**
   * That embedder: the model in the package by default. Undefined for `none`, where the model's file
   * cannot be used, and where nobody named a model and the database for its vectors has no pgvector.
   */
  readonly embedder: (vectorsIn?: Storage) => Promise<Embedder | undefined>
  /** Rate limits over all replicas where they share Redis; the given ones otherwise. */
  readonly shareRateLimits: (local: RateLimits) => Promise<RateLimits>
  /** Where the dashboard is served, once it is. */
  readonly dashboardUrl: () => string | undefined | Promise<string | undefined>
}

export interface Rate {
  readonly capacity: number
  /** How long an empty bucket takes to fill. */
  readonly perMs: number
}

/** Token buckets by name: an answer at once, or after asking what several processes share. */
export interface RateLimits {
  /** Of what replicas share; absent where they share nothing. */
  readonly state?: 'ok' | 'unavailable'
  /** 0 when the call may go on, else after how many seconds it may. */
  take(name: string, rate: Rate): number | Promise<number>
}

/** The contract of a built-in that runs by itself, where it differs from the others. */
export interface Standalone {
  /** Where its port comes from, for the help of `--port`: MCP_PORT unless said otherwise. */
  readonly port?: string
  /** What holds where the environment says nothing. */
  defaults?(env: Environment): Promise<StandaloneDefaults>
  /** Adds our names for variables that the original system calls otherwise. */
  withOriginalNames?(env: Environment): Promise<Environment>
  /** What `/health` says of it. */
  readonly health?: { readonly status: string; readonly service: string }
  /**
   * Whether `X-API-Key` is for the built-in, which checks it with every call, and no key of the gateway.
   * Such a built-in may be served to the network without keys of the gateway.
   */
  readonly passesApiKey?: boolean
}

export interface StandaloneDefaults {
  /** The environment that the transport is chosen from. */
  readonly env: Environment
  /** On stdio: time without a call after which it ends by itself; never when absent. */
  readonly idleMs?: number | undefined
  /** On stdio: where its pages are served from the start; `false` for not at all. */
  readonly dashboardPort?: number | false | undefined
}

/** Identity at run time; at compile time it keeps the name as a literal. */
export function defineBuiltin<const Name extends string>(builtin: Builtin<Name>): Builtin<Name> {
  return builtin
}
