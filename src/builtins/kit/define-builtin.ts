import type { Command } from '@commander-js/extra-typings'
import type { Environment } from '../../base/environment.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { SettingTable } from '../../base/setting-table.ts'
import type { Service } from '../../protocol/service.ts'
import type { EmbedderSettings } from '../../search/embed/create-embedder.ts'
import type { Embedder } from '../../search/embed/embedder.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ReplacedSystem } from './replaced-system.ts'

/**
 * The manifest of a server that comes with Portolan: everything the gateway, the settings and the
 * command line know about it. Manifests are loaded at every start, so each imports the code of its
 * built-in only inside its functions.
 */
export interface Builtin<Name extends string = string> {
  /** Its name in `.mcp.json`, in the settings, on the command line and among the servers. */
  readonly name: Name
  /** One line for the settings reference. */
  readonly title: string
  /** The purpose of the server; shown by list_servers. */
  readonly description: string
  /** One sentence on when to use it, for agents that search for tools instead of seeing all. */
  readonly advice?: string
  /** Extra keys of the entry that the gateway creates when `.mcp.json` has none for this server. */
  readonly defaults?: Readonly<JsonObject>
  /** Its section of `portolan.yaml`, named like it; read by the built-in as variables. */
  readonly settings?: SettingTable
  open(context: BuiltinContext): Promise<Service>
  /** How it runs by itself, as `portolan <name> mcp`. */
  readonly standalone?: Standalone
  /** The path of its page on the dashboard. */
  readonly page?: string
  /** Adds commands other than `mcp` to `portolan <name>`. */
  readonly commands?: () => Promise<(command: Command) => void>
}

/** The services and settings that a built-in receives from its host. */
export interface BuiltinContext {
  /** The data folder. */
  readonly home: string
  /** The environment variables, including the built-in's section of the settings. */
  readonly env: Environment
  /** The folder that it was started in. */
  readonly cwd: string
  /** The keys of its `.mcp.json` entry that only the built-in interprets. */
  readonly options: Readonly<JsonObject>
  /** The project that it was started in. */
  readonly project: () => string
  /** Opens the database; closing the returned storage leaves a shared database open. */
  readonly openStorage: () => Promise<Storage>
  /** The embedder settings, in a form that can be passed to a worker thread. */
  readonly embedding: () => EmbedderSettings
  /**
   * Opens the configured embedder; the default is the model in the package. Undefined for `none`,
   * if the model's file is unusable, or if the vector database of the default model lacks pgvector.
   */
  readonly embedder: (vectorsIn?: Storage) => Promise<Embedder | undefined>
  /** Why `embedder` returned undefined although a model is wanted; for answers and the status. */
  readonly modelProblem: () => string | undefined
  /** Returns rate limits across all replicas if they share Redis, otherwise the given ones. */
  readonly shareRateLimits: (local: RateLimits) => Promise<RateLimits>
  /** The URL of the dashboard; undefined while it is not served. */
  readonly dashboardUrl: () => string | undefined | Promise<string | undefined>
}

export interface Rate {
  readonly capacity: number
  /** How long an empty bucket takes to fill. */
  readonly perMs: number
}

/** Named token buckets, local to this process or shared by several. */
export interface RateLimits {
  /** The state of the store that replicas share; absent where they share none. */
  readonly state?: 'ok' | 'unavailable'
  /** Takes a token; returns 0 if the call may proceed, otherwise the seconds to wait. */
  take(name: string, rate: Rate): number | Promise<number>
}

/** How a built-in that runs by itself differs from the default behaviour. */
export interface Standalone {
  /** The source of its port, for the help text of `--port`; MCP_PORT by default. */
  readonly port?: string
  /** Returns the defaults for settings that the environment does not set. */
  defaults?(env: Environment): Promise<StandaloneDefaults>
  readonly replaces?: ReplacedSystem
  /** Says in a few words what it works with, for the line at its start. */
  describe?(options: DescribedOptions): string
  /** Its fields in the response of `/health`. */
  readonly health?: { readonly status: string; readonly service: string }
  /**
   * Whether `X-API-Key` belongs to the built-in, which checks it on every call, and not to the
   * gateway. Such a built-in may be served to the network without gateway keys.
   */
  readonly passesApiKey?: boolean
}

/** What a line at the start of a server may speak of. */
export interface DescribedOptions {
  readonly env: Environment
  readonly home: string
  /** Which model embeds, as the settings say. */
  readonly embedding: {
    readonly provider?: string | undefined
    readonly model?: string | undefined
    readonly baseUrl?: string | undefined
  }
}

export interface StandaloneDefaults {
  /** The environment that the transport is chosen from. */
  readonly env: Environment
  /** On stdio: the time without a call after which the process ends; it never does when absent. */
  readonly idleMs?: number | undefined
  /** On stdio: the port on which its pages are served from the start; `false` to serve none. */
  readonly dashboardPort?: number | false | undefined
}

/** Returns its argument; for the type checker, it keeps the name as a literal type. */
export function defineBuiltin<const Name extends string>(builtin: Builtin<Name>): Builtin<Name> {
  return builtin
}
