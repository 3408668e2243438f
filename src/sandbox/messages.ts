import type { QuickJSOptions, Snapshot } from 'quickjs-wasi'
import type { Limits } from './limits.ts'

/** Handles of the functions of the prelude that the host calls; they travel with an image of the memory. */
export type Tokens = Readonly<Record<'settle' | 'watch' | 'input' | 'seed', number>>

export interface Spent {
  threadMs: number
  calls: number
  logChars: number
}

/**
 * A script that waits, whole: its memory fits only the WebAssembly module whose id it carries.
 * `open` counts the requests to the host that have not been answered yet.
 */
export interface Image {
  readonly wasm: string
  readonly snapshot: Snapshot
  readonly tokens: Tokens
  readonly spent: Spent
  readonly open: number
}

/** The memory of a fresh virtual machine after the prelude. */
export type WarmImage = Pick<Image, 'snapshot' | 'tokens'>

/** A request of a script: `names` and `json` are JSON texts, since nothing else crosses the line. */
export interface Ask {
  readonly id: number
  readonly operation: Operation
  readonly names: string
  readonly json: string
}

export const OPERATIONS = ['tool', 'find', 'describe', 'keep', 'read', 'select', 'sleep'] as const
export type Operation = (typeof OPERATIONS)[number]

/**
 * What the host answers, as text. `value` is JSON; `result` is a whole MCP result, whose value the
 * thread takes out; `error` is JSON with a name and a message; `planned` is the label of a placeholder.
 */
export interface Answer {
  readonly id: number
  readonly kind: 'value' | 'result' | 'error' | 'planned'
  readonly text: string
}

/** Why a script ended without a result. */
const FAILURES = [
  'syntax',
  'script_error',
  'thread_limit',
  'wall_limit',
  'memory_limit',
  'stack_limit',
  'call_limit',
  'source_limit',
  'result_limit',
  'never_settles',
  'script_expired',
  'cancelled',
  'sandbox_failed',
] as const
export type FailureCode = (typeof FAILURES)[number]

export interface Failure {
  readonly code: FailureCode
  readonly name?: string
  readonly message: string
  /** In the source as the agent wrote it. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** Of a failed call: what the gateway says about it. */
  readonly data?: unknown
}

/**
 * A script that cannot go on before somebody outside has been asked, whole: it may go on in another
 * process that has the same module. What `answers` and `later` name is all that it waits for.
 */
export interface Suspended {
  readonly image: Image
  /** What came while the image was taken. */
  readonly answers: readonly Answer[]
  /** Requests that the host could not answer yet; it gets them again. */
  readonly later: readonly Ask[]
  /** What is left of its time. */
  readonly leftMs: number
}

export type Outcome = { readonly json: string } | { readonly failure: Failure }

/** How a script ended, and what it took. */
export interface Ended {
  readonly outcome: Outcome | { readonly suspended: Suspended }
  readonly threadMs: number
  readonly memoryBytes: number
}

/** Of one script, all but `load`, which comes first. */
export type ToThread =
  | { kind: 'load'; engine: Engine }
  | { kind: 'start'; run: number; source: string; input: string | undefined }
  | { kind: 'restore'; run: number; image: Image; answers: readonly Answer[] }
  | { kind: 'answer'; run: number; answer: Answer }
  | { kind: 'swap'; run: number }
  | { kind: 'drop'; run: number }

export type FromThread =
  | { kind: 'ready'; made: WarmImage | undefined }
  /** `idle`: the script has nothing to do before it is answered. */
  | { kind: 'asks'; run: number; asks: readonly Ask[]; idle: boolean }
  | { kind: 'log'; run: number; text: string }
  | { kind: 'swapped'; run: number; image: Image }
  | { kind: 'dropped'; run: number }
  | { kind: 'ended'; run: number; ended: Ended }

/** What a thread is started with. */
export interface ThreadData {
  readonly limits: Limits
  readonly heartbeat: Int32Array
}

/** QuickJS, compiled. */
export type EngineModule = QuickJSOptions['wasm']

/** What a thread runs scripts with. */
export interface Engine {
  readonly module: EngineModule
  /**
   * Names the module and the prelude: an image of the memory fits no other module, and nothing would
   * notice; and the host talks to the prelude that is in the image.
   */
  readonly id: string
  /** The source that every script starts with. */
  readonly prelude: string
  /** The memory after it. Where the package has none that fits, the first thread makes it for all. */
  readonly warm: WarmImage | undefined
}
