/** What one script may use, and how many run at once. Sizes of text are in characters. */
export interface Limits {
  /** Memory that the engine may allocate for a script. */
  readonly heapBytes: number
  /** Memory of the whole virtual machine: written into the wasm module, so V8 enforces it. */
  readonly wallBytes: number
  /** Time on its thread, over all its turns. */
  readonly threadMs: number
  /** From its start to its end, waiting included. */
  readonly wallMs: number
  /** Requests to the host: calls of tools, `find`, `read`, `sleep` and the like. */
  readonly calls: number
  /** Tool calls that one script may have under way at the same time. */
  readonly parallel: number
  readonly sourceChars: number
  readonly argumentChars: number
  readonly answerChars: number
  readonly resultChars: number
  readonly logChars: number
  /** Threads; each runs one script at a time. */
  readonly threads: number
  /** Memory for scripts that wait for an answer while others use their thread. */
  readonly imageBytes: number
}

const MIB = 1 << 20

type Configurable = 'threads' | 'heapBytes' | 'threadMs' | 'wallMs' | 'calls'

/** Returns the limits of scripts: those that the settings have, and those that nobody sets. */
export function limitsOf(settings: Pick<Limits, Configurable>): Limits {
  const { threads, heapBytes, threadMs, wallMs, calls } = settings
  return {
    threads,
    heapBytes,
    threadMs,
    wallMs,
    calls,
    // The engine itself and fragmentation take a third more than the heap.
    wallBytes: Math.ceil((heapBytes * 4) / 3),
    // What a client may have under way at once without taking all slots of a server.
    parallel: 16,
    sourceChars: 64 * 1024,
    argumentChars: MIB,
    // As much JSON as the heap can hold as objects.
    answerChars: 8 * MIB,
    resultChars: MIB,
    logChars: 64 * 1024,
    // Some thirty scripts that wait while others use their threads.
    imageBytes: 256 * MIB,
  }
}

/** How long a thread may be overdue inside one native operation before it is ended. */
export const GRACE_MS = 250
