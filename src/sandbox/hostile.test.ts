import { afterAll, expect, it } from 'vitest'
import { HOSTILE_SCRIPTS } from '../../test/support/hostile-scripts.ts'
import { Canceller } from '../base/signal.ts'
import type { Limits } from './limits.ts'
import type { Ended } from './messages.ts'
import { SandboxPool } from './pool.ts'
import type { Host } from './run.ts'

const MIB = 1024 * 1024
const LIMITS: Limits = {
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

/** Answers with the arguments; a tool named `open` never answers. */
const HOST: Host = {
  log: () => {},
  async answer({ operation, names, json }, { signal }) {
    if (operation === 'sleep') await new Promise((resolve) => setTimeout(resolve, Number(json)))
    if (names.includes('"open"'))
      await new Promise<void>((resolve) => signal.addEventListener('abort', resolve))
    return { kind: 'value', text: json }
  },
}

const pool = new SandboxPool(LIMITS)
afterAll(async () => pool.close())

/** A thread that had to be ended is started again for the next script, which takes its time. */
async function run(source: string, wallMs = 60_000): Promise<Ended> {
  return pool.run({ source, input: undefined, wallMs }, HOST, new Canceller())
}

const reaching = HOSTILE_SCRIPTS.filter(({ ends }) => ends !== undefined)

it.each(reaching)(
  'ends as if there were no host: $name',
  { timeout: 60_000 },
  async ({ source, ends }) => {
    expect((await run(source)).outcome).toEqual({ json: ends })
  },
)

/** For those that only wait. */
const HOSTILE_WALL_MS = 5000
/** Some of each other kind: `npm run attack` runs them all. */
const EVERY = 9
const greedy = HOSTILE_SCRIPTS.filter(({ ends }) => ends === undefined)
const some = greedy.filter((_, index) => index % EVERY === 0)

it.each(some)('holds against $name', { timeout: 60_000 }, async ({ source }) => {
  const { memoryBytes } = await run(source, HOSTILE_WALL_MS)
  expect(memoryBytes).toBeLessThanOrEqual(LIMITS.wallBytes)
  // Whatever it did, the next script knows nothing of it.
  expect((await run('6 * 7')).outcome).toEqual({ json: '42' })
})
