import type { LeftOut } from '../../gateway/upstream.ts'
import type { CallStats } from './overview.ts'

export type ServerState = 'idle' | 'starting' | 'ready' | 'down' | 'closed' | 'disabled'

export interface Server {
  readonly name: string
  readonly kind: 'stdio' | 'http' | 'builtin' | 'openapi' | 'broken'
  /** Which of the servers that come with Portolan it is. */
  readonly builtin: string | null
  readonly description: string | null
  /** The folder that alone has it; null for those of the main folder. */
  readonly folder: string | null
  /** A command without arguments, or an address without query; null for in-process servers. */
  readonly location: string | null
  /** The package that its command runs, or the image; null for other programs. */
  readonly program: ServerProgram | null
  /** The file with its entry; null for a built-in server without one. */
  readonly file: string | null
  readonly state: ServerState
  /** When it became ready. */
  readonly since: string | null
  readonly era: 'legacy' | 'modern' | null
  readonly breaker: 'closed' | 'open' | 'half-open' | null
  readonly restarts: number
  /** How often a remote server has forgotten a session of ours in the last hour. */
  readonly sessionsLost: number
  /** The number of open connections: child processes, or sessions of a remote server. */
  readonly connections: number
  /** Why it is currently down. */
  readonly error: string | null
  readonly retryAt: string | null
  /** The last failed call, even if the server has recovered. */
  readonly lastError: { readonly at: string; readonly text: string } | null
  readonly toolCount: number
  /** Definitions that clients are not shown, and why. */
  readonly leftOut: readonly LeftOut[]
  /** The number of changes that wait for a person. */
  readonly heldCount: number
  /** What all its definitions cost an agent that sees them directly. */
  readonly toolTokens: number
  readonly calls: CallStats | null
}

export interface ServerProgram {
  readonly source: 'npm' | 'PyPI' | 'image'
  readonly name: string
  /** As the entry asks for it; null for the newest. */
  readonly version: string | null
}

/** A change that does not apply until a person accepts it. */
export interface HeldChange {
  /** Identifies the change: a decision is about exactly what was shown. */
  readonly digest: string
  readonly kind: string
  readonly name: string
  readonly reasons: readonly string[]
  readonly since: string
  /** What agents get meanwhile: the accepted text, or nothing of it. */
  readonly hold: 'text' | 'definition'
  readonly rejected: boolean
  /** The changed lines, which begin with `-` or `+`. */
  readonly diff: readonly string[]
}

/** What is held of a server. */
export interface ServerReview {
  readonly server: string
  /** The lock that is changed as well; null where there is none. */
  readonly lock: string | null
  readonly changes: readonly HeldChange[]
  /** Why nothing of the server is used. */
  readonly blocked: string | null
  /** Why decisions do not last. */
  readonly problem: string | null
}

export interface ReviewDecision {
  readonly accept: boolean
  readonly digests: readonly string[]
}

/** Something in a text of a server that is aimed at the model, or hides from people. */
export interface ServerFinding {
  readonly class: 'high' | 'medium' | 'low'
  readonly rule: string
  /** What was found, safe for a terminal. */
  readonly quote: string
  readonly reason: string
  /** The tool or prompt that it is about, and which of its texts. */
  readonly name: string
  readonly where: string
}

/** The answer of a server to a test, or why there was none. */
export interface ServerProbe {
  readonly ms: number
  /** Undefined if the server could not be reached. */
  readonly tools?: number | undefined
  /** What its definitions take of an agent's context when all are listed. */
  readonly tokens?: number | undefined
  /** Definitions that clients are not shown. */
  readonly leftOut?: readonly LeftOut[] | undefined
  /** What of it waits for a person. */
  readonly held?:
    | readonly { readonly kind: string; readonly name: string; readonly reason: string }[]
    | undefined
  readonly error?: string | undefined
  /** What it wrote, and what to do about it, if known. */
  readonly output?: readonly string[] | undefined
  readonly nextStep?: string | undefined
  /** Where to sign in, for a server that requires it. */
  readonly signIn?: string | undefined
}

export interface ServerDetail extends Server {
  /** What the sandbox of its program lets it use; null if it runs with all rights of the user. */
  readonly sandbox: ServerSandbox | null
  /** The lock that says what was accepted of it. */
  readonly lock: string | null
  readonly instructions: string | null
  readonly version: string | null
  /** What to do about a server that is down, if its output is a known message. */
  readonly nextStep: string | null
  /** The last lines that it wrote outside the protocol, oldest first. */
  readonly output: readonly OutputLine[]
  readonly tools: readonly Tool[]
  readonly prompts: number
  readonly resources: number
}

export interface ServerSandbox {
  readonly read: readonly string[]
  readonly write: readonly string[]
  readonly network: 'any' | 'none' | readonly string[]
  /** Names of variables. */
  readonly env: readonly string[]
}

export interface OutputLine {
  readonly at: string
  readonly text: string
}

export interface Tool {
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  /** Derived from its annotations and its name. */
  readonly effect: 'read' | 'write' | 'delete'
  /** What its definition costs. */
  readonly tokens: number
  /** The most tokens a result may take; null for no limit. */
  readonly maxTokens: number | null
  /** In one line, as `find_tools` shows it. */
  readonly signature: string
  readonly calls: CallStats | null
}
