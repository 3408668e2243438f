import type { CallStats } from './overview.ts'

export type ServerState = 'idle' | 'starting' | 'ready' | 'down' | 'closed' | 'disabled'

export interface Server {
  readonly name: string
  readonly kind: 'stdio' | 'http' | 'builtin' | 'openapi' | 'broken'
  /** Which of the servers that come with Portolan it is. */
  readonly builtin: string | null
  readonly description: string | null
  /** A command without its arguments, or an address without its query; null for those in this process. */
  readonly location: string | null
  /** The file that its entry is in; null for a built-in server that no file names. */
  readonly file: string | null
  readonly state: ServerState
  /** Since when it is ready. */
  readonly since: string | null
  readonly era: 'legacy' | 'modern' | null
  readonly breaker: 'closed' | 'open' | 'half-open' | null
  readonly restarts: number
  /** How many connections to it are up: child processes, or sessions of a remote server. */
  readonly connections: number
  /** Why it is down now. */
  readonly error: string | null
  readonly retryAt: string | null
  /** The last call that failed on it, even if it is well again. */
  readonly lastError: { readonly at: string; readonly text: string } | null
  readonly toolCount: number
  /** What all its definitions cost an agent that sees them directly. */
  readonly toolTokens: number
  readonly calls: CallStats | null
}

/** What a server said when it was asked, or why it did not. */
export interface ServerProbe {
  readonly ms: number
  /** Undefined where the server could not be asked. */
  readonly tools?: number | undefined
  /** What its definitions take of an agent's context when all are listed. */
  readonly tokens?: number | undefined
  readonly error?: string | undefined
  /** What it wrote, and what to do about it where that is known. */
  readonly output?: readonly string[] | undefined
  readonly nextStep?: string | undefined
  /** Where to sign in, for a server that wants that. */
  readonly signIn?: string | undefined
}

export interface ServerDetail extends Server {
  readonly instructions: string | null
  readonly version: string | null
  /** What to do about a server that is down, where what it wrote is known. */
  readonly nextStep: string | null
  /** The last lines that it wrote beside the protocol, oldest first. */
  readonly output: readonly OutputLine[]
  readonly tools: readonly Tool[]
  readonly prompts: number
  readonly resources: number
}

export interface OutputLine {
  readonly at: string
  readonly text: string
}

export interface Tool {
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  /** By its annotations, read with its name. */
  readonly effect: 'read' | 'write' | 'delete'
  /** What its definition costs. */
  readonly tokens: number
  /** The most tokens a result may take; null for no limit. */
  readonly maxTokens: number | null
  /** In one line, as `find_tools` shows it. */
  readonly signature: string
  readonly calls: CallStats | null
}
