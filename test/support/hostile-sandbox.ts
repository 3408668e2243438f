import { Canceller } from '../../src/base/flow/signal.ts'
import type { Limits } from '../../src/sandbox/limits.ts'
import type { ScriptEnd } from '../../src/sandbox/messages.ts'
import { SandboxPool } from '../../src/sandbox/pool.ts'
import type { Host } from '../../src/sandbox/run.ts'
import type { HostileScript } from './hostile-scripts.ts'

const MIB = 1024 * 1024
/** Small limits, so that a hostile script reaches them soon. */
export const HOSTILE_LIMITS: Limits = {
  heapBytes: 16 * MIB,
  wallBytes: 32 * MIB,
  threadMs: 1000,
  wallMs: 60_000,
  calls: 200,
  parallel: 16,
  sourceChars: 64 * 1024,
  argumentChars: MIB,
  answerChars: 8 * MIB,
  resultChars: MIB,
  logChars: 64 * 1024,
  threads: 1,
  imageBytes: 64 * MIB,
}
/** A script that only waits uses no thread time, so its wall time ends it. */
const HOSTILE_WALL_MS = 3000
/** The time that a script may take beyond its limit. */
const LATE_MS = 1000
/** Allows for the start of a new thread from sources, after one had to be ended. */
const PATIENCE_MS = 60_000
const HARMLESS = '6 * 7'

/** The outcome of a hostile script. */
export interface Attempt {
  readonly ms: number
  readonly memoryBytes: number
  /** The JSON of its result, or its failure. */
  readonly end: string
  /** Whether it reached the host, exceeded the memory limit, or affected the next script. */
  readonly escaped: boolean
  /** Whether it ended at most a second after its limit. */
  readonly inTime: boolean
}

/** Answers with the arguments; a tool named `open` never answers. */
const HOST: Host = {
  log: () => {},
  async answer({ operation, names, json }, { signal }) {
    if (operation === 'sleep') await new Promise((resolve) => setTimeout(resolve, Number(json)))
    if (names.includes('"open"'))
      await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
    return { kind: 'value', text: json.length > MIB ? '{}' : json }
  },
}

/** A separate sandbox for hostile scripts, each followed by a harmless one. */
export class HostileSandbox {
  readonly #pool = new SandboxPool(HOSTILE_LIMITS)

  async attempt({ source, ends }: HostileScript): Promise<Attempt> {
    // Restarts the thread if needed, so that its start is not part of the measured time.
    await this.#run(HARMLESS, PATIENCE_MS)
    const startedAt = performance.now()
    const ended = await this.#run(source, HOSTILE_WALL_MS)
    const ms = performance.now() - startedAt
    const next = shown(await this.#run(HARMLESS, PATIENCE_MS))
    const { outcome, memoryBytes } = ended
    const waited = 'failure' in outcome && outcome.failure.code === 'wall_limit'
    const end = shown(ended)
    return {
      ms,
      memoryBytes,
      end,
      escaped:
        memoryBytes > HOSTILE_LIMITS.wallBytes ||
        next !== '42' ||
        (ends !== undefined && end !== ends),
      inTime: ms <= (waited ? HOSTILE_WALL_MS : HOSTILE_LIMITS.threadMs) + LATE_MS,
    }
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #run(source: string, wallMs: number): Promise<ScriptEnd> {
    return this.#pool.run({ source, input: undefined, wallMs }, HOST, new Canceller())
  }
}

function shown({ outcome }: ScriptEnd): string {
  const text = 'json' in outcome ? outcome.json : JSON.stringify(outcome)
  return text.slice(0, 200)
}
