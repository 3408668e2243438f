import type { DeclaredVariable } from '../../config/servers/add/server-plan.ts'
import type { ServerFinding, ServerProbe } from './servers.ts'

export type { DeclaredVariable, ServerFinding }

/** What a person typed or pasted, to make new servers of. */
export interface NewServer {
  /**
   * A command, an address, the JSON of a README, the path or address of an API description, the name
   * of a server in a registry, or that of a server that comes with Portolan.
   */
  readonly text: string
  readonly kind?: 'builtin' | undefined
  /** The name that it gets; not needed where the text names it. */
  readonly name?: string | undefined
  /** One of `AddPlan.files`; the first by default. */
  readonly file?: string | undefined
  readonly sandbox?: boolean | undefined
}

/** What would be added, and what is asked for. */
export interface AddPlan {
  /** The servers files that may get it, the usual one first. */
  readonly files: readonly string[]
  readonly file: string
  readonly servers: readonly PlannedServer[]
  /** Identifies what was shown: only that is added. */
  readonly digest: string
}

export interface PlannedServer {
  readonly name: string
  /** Its entry as far as it is known, without secrets. */
  readonly entry: unknown
  readonly variables: readonly DeclaredVariable[]
  readonly notes: readonly string[]
  readonly origin: { readonly registry: string; readonly version: string } | null
}

export interface ServerAddition extends NewServer {
  readonly digest: string
  /** By server, then by variable. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Whether it is started and read first, and added only if that goes well. */
  readonly test: boolean
}

export interface AddAnswer {
  /** False if a test failed or a person must read what was found: nothing was saved. */
  readonly added: boolean
  readonly servers: readonly {
    readonly name: string
    readonly probe: ServerProbe | null
    readonly findings: readonly ServerFinding[]
  }[]
}

export interface FoundServers {
  readonly hits: readonly {
    readonly name: string
    readonly title: string | null
    readonly description: string
    readonly version: string
    readonly status: string
    readonly registry: string
  }[]
  /** Registries that could not be searched, and why. */
  readonly problems: readonly string[]
}

/** The entry of a server in its file. */
export interface ServerEntry {
  readonly file: string
  /** JSON text, without secrets: `[redacted]` stands for what is there. */
  readonly entry: string
  /** Identifies the content of the file. */
  readonly digest: string
}

/** How agents see one tool; null leaves it as the server has it. */
export interface ToolWords {
  readonly name: string | null
  readonly description: string | null
  readonly hidden: boolean | null
}
