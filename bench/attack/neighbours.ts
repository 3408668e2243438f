import { setTimeout as sleep } from 'node:timers/promises'
import { HOSTILE_SCRIPTS } from '../../test/support/hostile-scripts.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

/** Measurements alone and beside the attack alternate, so that other load affects both equally. */
const ROUNDS = 4
const BLOCK_MS = 2_000
const CALLERS = 8
const MOST_TIMES = 2
/** Below this, a ratio is noise of the machine, not an effect of the attack. */
const NOISE_MS = 20

/** One agent attacks beside another, whose waiting time may at most double. */
export const neighbours: Attack = {
  name: 'a hostile agent beside another',
  async run(field) {
    const rig = await Rig.open({
      servers: { shared: hostile() },
      rules: { agents: { ada: ALL, mallory: { allow: { servers: ['*'], scripts: true } } } },
      // The limits that an operator sets against an agent that calls without end.
      settings: { limits: { burst: 20 }, agents: { mallory: { ratePerMinute: 600 } } },
    })
    const echo = async (agent: string) => rig.call('shared__echo', { text: 'x' }, { agent })
    await echo('ada')
    await measure({ times: [], failed: 0 }, async () => echo('ada'))
    let next = 0
    const worst: Readonly<Record<string, () => Promise<unknown>>> = {
      'calls that never end': async () =>
        rig.call('shared__hang', {}, { agent: 'mallory', timeoutMs: 2_000 }),
      'large results': async () =>
        rig.call('shared__large', { lines: 20_000 }, { agent: 'mallory' }),
      'calls that are refused': async () => rig.call('shared__nothing', {}, { agent: 'mallory' }),
      'tiny timeouts': async () =>
        rig.call(
          'execute_tool',
          { server: 'shared', tool: 'large', args: {}, timeout_ms: 1 },
          { agent: 'mallory' },
        ),
      'hostile scripts': async () => {
        const { source } = HOSTILE_SCRIPTS[next++ % HOSTILE_SCRIPTS.length] ?? { source: '' }
        return rig.call('run_script', { code: source }, { agent: 'mallory' })
      },
    }
    for (const [name, attack] of Object.entries(worst))
      await field.try(`beside ${name}`, async () => {
        const alone: Measured = { times: [], failed: 0 }
        const beside: Measured = { times: [], failed: 0 }
        for (let round = 0; round < ROUNDS; round++) {
          await measure(alone, async () => echo('ada'))
          const stop = flood(attack)
          await measure(beside, async () => echo('ada'))
          await stop()
        }
        const [before, after] = [p99(alone), p99(beside)]
        const detail = `p99 alone ${before} ms, beside ${after} ms, failed ${beside.failed}`
        console.log(`  ${name}: ${detail}`)
        if (beside.failed > 0 || after > Math.max(NOISE_MS, MOST_TIMES * before))
          throw new Error(detail)
        return true
      })
    await rig.discard()
  },
}

const ALL = { allow: { servers: ['*'] } }

interface Measured {
  readonly times: number[]
  failed: number
}

/** Starts eight clients that attack without end; returns the function that stops them. */
function flood(attack: () => Promise<unknown>): () => Promise<void> {
  const stop = new AbortController()
  const clients = Array.from({ length: 8 }, async () => {
    while (!stop.signal.aborted) {
      await attack().catch(() => undefined)
      await sleep(20)
    }
  })
  return async () => {
    stop.abort()
    await Promise.all(clients)
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
