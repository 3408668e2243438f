import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

/** Measurements alone and beside the attack alternate, so that other load affects both equally. */
const ROUNDS = 4
const BLOCK_MS = 2_000
const CALLERS = 8
const MAX_TIMES = 2
/** Below this, a ratio is noise of the machine, not an effect of the attack. */
const NOISE_MS = 20

/** One agent attacks beside another, whose waiting time may at most double. */
export const neighbours: Attack = {
  name: 'a hostile agent beside another',
  async run(field) {
    const rig = await Rig.open({
      servers: { shared: hostile() },
      rules: { agents: { ada: ALL, mallory: { allow: { servers: ['*'], scripts: true } } } },
    })
    const echo = async (agent: string) => rig.call('shared__echo', { text: 'x' }, { agent })
    await echo('ada')
    await measure({ times: [], failed: 0 }, async () => echo('ada'))
    for (const name of ATTACKS)
      await field.try(`beside ${name}`, async () => {
        const alone: Measured = { times: [], failed: 0 }
        const beside: Measured = { times: [], failed: 0 }
        for (let round = 0; round < ROUNDS; round++) {
          await measure(alone, async () => echo('ada'))
          const stop = await flood(rig.url, name)
          await measure(beside, async () => echo('ada'))
          await stop()
        }
        const [before, after] = [p99(alone), p99(beside)]
        const detail = `p99 alone ${before} ms, beside ${after} ms, failed ${beside.failed}`
        console.log(`  ${name}: ${detail}`)
        if (beside.failed > 0 || after > Math.max(NOISE_MS, MAX_TIMES * before))
          throw new Error(detail)
        return true
      })
    await rig.discard()
  },
}

/** The attacks of `attacker.ts`. */
const ATTACKS = [
  'calls that never end',
  'large results',
  'calls that are refused',
  'tiny timeouts',
  'hostile scripts',
]

const ALL = { allow: { servers: ['*'] } }

interface Measured {
  readonly times: number[]
  failed: number
}

/** Starts a process that attacks without end; returns the function that stops it. */
async function flood(url: string, attack: string): Promise<() => Promise<void>> {
  const program = join(import.meta.dirname, 'attacker.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', program, url, attack], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

/** Calls from several callers, each without a pause. */
async function measure(measured: Measured, call: () => Promise<string>): Promise<void> {
  const end = performance.now() + BLOCK_MS
  const caller = async () => {
    while (performance.now() < end) {
      const sent = performance.now()
      if (!(await call().catch(() => '')).includes('"x"')) measured.failed += 1
      measured.times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

function p99({ times }: Measured): number {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)
}
