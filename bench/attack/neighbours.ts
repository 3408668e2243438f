import { HOSTILE_SCRIPTS } from '../../test/support/hostile-scripts.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

const BLOCK_MS = 4_000
const MOST_TIMES = 2
/** Below this a ratio is noise of the machine, not of the neighbour. */
const NOISE_MS = 50

/** One agent does its worst beside another, whose waiting time may at most double. */
export const neighbours: Attack = {
  name: 'a hostile agent beside another',
  async run(field) {
    const rig = await Rig.open({
      servers: { shared: hostile() },
      rules: { agents: { ada: ALL, mallory: { allow: { servers: ['*'], scripts: true } } } },
      // What an operator does against one that calls without end.
      settings: { limits: { burst: 20 }, agents: { mallory: { ratePerMinute: 600 } } },
    })
    const echo = async (agent: string) => rig.call('shared__echo', { text: 'x' }, { agent })
    await echo('ada')
    await measure(async () => echo('ada'))
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
        const alone = await measure(async () => echo('ada'))
        const stop = new AbortController()
        const flood = Array.from({ length: 8 }, async () => {
          while (!stop.signal.aborted) {
            await attack().catch(() => undefined)
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
        })
        const beside = await measure(async () => echo('ada'))
        stop.abort()
        await Promise.all(flood)
        const detail = `p99 alone ${alone.p99} ms, beside ${beside.p99} ms, failed ${beside.failed}`
        console.log(`  ${name}: ${detail}`)
        if (beside.failed > 0 || beside.p99 > Math.max(NOISE_MS, MOST_TIMES * alone.p99))
          throw new Error(detail)
        return true
      })
    await rig.discard()
  },
}

const ALL = { allow: { servers: ['*'] } }

/** Calls one after the other, at a pace that is no load itself; the 99th percentile and what failed. */
async function measure(call: () => Promise<string>): Promise<{ p99: number; failed: number }> {
  const times: number[] = []
  let failed = 0
  const end = performance.now() + BLOCK_MS
  while (performance.now() < end) {
    const sent = performance.now()
    if (!(await call().catch(() => '')).includes('"x"')) failed += 1
    times.push(performance.now() - sent)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const sorted = times.toSorted((a, b) => a - b)
  return { p99: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0), failed }
}
