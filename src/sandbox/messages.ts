import type { QuickJSOptions, Snapshot } from 'quickjs-wasi'
import type { Limits } from './limits.ts'

/** Handles of the prelude's functions that the host calls; they are part of an image. */
export type Tokens = Readonly<Record<'settle' | 'watch' | 'input' | 'seed', number>>

export interface Spent {
  threadMs: number
  calls: number
  logChars: number
}

/**
 * The whole state of a waiting script: its memory fits only the WebAssembly module with the id
 * `wasm`. `open` counts the requests to the host that have not been answered yet.
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

/** A request of a script: `names` and `json` are JSON texts, since only text leaves the engine. */
export interface Ask {
  readonly id: number
  readonly operation: Operation
  readonly names: string
  readonly json: string
}

export const OPERATIONS = ['tool', 'find', 'describe', 'keep', 'read', 'select', 'sleep'] as const
export type Operation = (typeof OPERATIONS)[number]

/**
 * An answer of the host, as text. `value` is JSON; `result` is a whole MCP result, whose value the
 * thread extracts; `error` is JSON with a name and a message; `planned` is the label of a
 * placeholder.
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
  /** The position in the source as the agent wrote it. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** For a failed call: the gateway's error data. */
  readonly data?: unknown
}

/**
 * The whole state of a script that cannot continue until a person has been asked: it may continue
 * in another process that has the same module. `answers` and `later` name all its open requests.
 */
export interface SuspendedRun {
  readonly image: Image
  /** Answers that arrived while the image was taken. */
  readonly answers: readonly Answer[]
  /** Requests that the host could not answer yet; they are sent to it again. */
  readonly later: readonly Ask[]
  /** The remaining time of the script. */
  readonly leftMs: number
}

export type Outcome = { readonly json: string } | { readonly failure: Failure }

/** How a script ended, and what it used. */
export interface ScriptEnd {
  readonly outcome: Outcome | { readonly suspended: SuspendedRun }
  readonly threadMs: number
  readonly memoryBytes: number
}

/** Messages about one script, except `load`, which comes first. */
export type ToThread =
  | { kind: 'load'; engine: Engine }
  | { kind: 'start'; run: number; source: string; input: string | undefined }
  | { kind: 'restore'; run: number; image: Image; answers: readonly Answer[] }
  | { kind: 'answer'; run: number; answer: Answer }
  | { kind: 'swap'; run: number }
  | { kind: 'drop'; run: number }

export type FromThread =
  | { kind: 'ready'; made: WarmImage | undefined }
  /** `idle`: the script has nothing to do until it is answered. */
  | { kind: 'asks'; run: number; asks: readonly Ask[]; idle: boolean }
  | { kind: 'log'; run: number; text: string }
  | { kind: 'swapped'; run: number; image: Image }
  | { kind: 'dropped'; run: number }
  | { kind: 'ended'; run: number; ended: ScriptEnd }

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
   * Identifies the module and the prelude. An image fits no other module, which nothing else would
   * detect, and the host calls the prelude that is in the image.
   */
  readonly id: string
  /** The source that every script starts with. */
  readonly prelude: string
  /** The memory after the prelude. If the package has none that fits, the first thread makes it. */
  readonly warm: WarmImage | undefined
}
