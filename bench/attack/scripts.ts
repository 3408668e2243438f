import { Canceller } from '../../src/base/signal.ts'
import type { Limits } from '../../src/sandbox/limits.ts'
import type { Ended } from '../../src/sandbox/messages.ts'
import { SandboxPool } from '../../src/sandbox/pool.ts'
import type { Host } from '../../src/sandbox/run.ts'
import { HOSTILE_SCRIPTS, type HostileScript } from '../../test/support/hostile-scripts.ts'
import type { Attack } from './report.ts'

const MIB = 1024 * 1024
const LIMITS: Limits = {
  heapBytes: 16 * MIB,
  wallBytes: 32 * MIB,
  threadMs: 1000,
  wallMs: 10_000,
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
/** What a script may take beyond its limit. */
const LATE_MS = 1000
/** Waiting is not computing: a script that only waits ends by its wall clock. */
const WALL_MS = 3000
/** A thread that had to be ended is started anew for the next script, from sources. */
const PATIENCE_MS = 60_000

/** Scripts that take memory, time and stack, flood, and reach for the host. */
export const scripts: Attack = {
  name: 'hostile scripts',
  async run(field) {
    const pool = new SandboxPool(LIMITS)
    await run(pool, '1', PATIENCE_MS)
    let worst = 0
    for (const script of HOSTILE_SCRIPTS)
      await field.try(script.name, async () => {
        const startedAt = performance.now()
        const ended = await run(pool, script.source)
        const ms = performance.now() - startedAt
        worst = Math.max(worst, ended.memoryBytes)
        check(script, ended, ms)
        const next = await run(pool, '6 * 7', PATIENCE_MS)
        if (shown(next) !== '42') throw new Error(`the next script ended as ${shown(next)}`)
        return true
      })
    await pool.close()
    const worstMb = (worst / MIB).toFixed(1)
    console.log(
      `  ${HOSTILE_SCRIPTS.length} scripts, at most ${worstMb} MB of ${LIMITS.wallBytes / MIB}`,
    )
  },
}

function check({ ends }: HostileScript, ended: Ended, ms: number): void {
  if (ended.memoryBytes > LIMITS.wallBytes) throw new Error(`${ended.memoryBytes} bytes`)
  const limitMs =
    'failure' in ended.outcome && ended.outcome.failure.code === 'wall_limit'
      ? WALL_MS
      : LIMITS.threadMs
  if (ms > limitMs + LATE_MS) throw new Error(`ended after ${Math.round(ms)} ms, ${shown(ended)}`)
  if (ends !== undefined && shown(ended) !== ends) throw new Error(`ended as ${shown(ended)}`)
}

function shown({ outcome }: Ended): string {
  const text = 'json' in outcome ? outcome.json : JSON.stringify(outcome)
  return text.slice(0, 200)
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

async function run(pool: SandboxPool, source: string, wallMs = WALL_MS): Promise<Ended> {
  return pool.run({ source, input: undefined, wallMs }, HOST, new Canceller())
}
