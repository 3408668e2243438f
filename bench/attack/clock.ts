import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

const HOUR = 3_600_000

/** Sets the wall clock back and forth while servers back off and results are kept. */
export const clock: Attack = {
  name: 'clock jumps',
  async run(field) {
    const file = join(mkdtempSync(join(tmpdir(), 'portolan-clock-')), 'offset')
    const set = async (ms: number) => {
      writeFileSync(file, String(ms))
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    await set(0)
    const rig = await Rig.open({
      servers: { good: hostile(), dies: hostile('dies'), missing: { command: '/nonexistent' } },
      settings: { limits: { ratePerMinute: 6000 }, budgets: { maxTokens: 200 } },
      env: {
        CLOCK_OFFSET_FILE: file,
        NODE_OPTIONS: `--require ${join(import.meta.dirname, 'clock.cjs')}`,
      },
    })
    const works = async () => (await rig.call('good__echo', { text: 'tick' })).includes('tick')
    await works()
    for (const jump of [-HOUR, HOUR, -24 * HOUR, 30 * 24 * HOUR, 0]) {
      await rig
        .call('execute_tool', { server: 'dies', tool: 'echo', args: {} })
        .catch(() => undefined)
      await set(jump)
      await field.try(`${jump / HOUR} h: calls go on`, works)
      await field.try(`${jump / HOUR} h: a server that backs off is tried again soon`, async () => {
        const answer = await rig.call('execute_tool', { server: 'dies', tool: 'echo', args: {} })
        const waits = [...answer.matchAll(/retry_after_ms\W+(\d+)/g)].map(([, ms]) => Number(ms))
        return waits.every((ms) => ms <= 60_000)
      })
      await field.try(
        `${jump / HOUR} h: status and readiness answer`,
        async () =>
          (await rig.get('/ready')).status === 200 &&
          (await rig.call('get_gateway_status')).includes('version'),
      )
    }
    await field.try(
      'the audit was written through all of it',
      () => rig.audit().split('\n').length > 10,
    )
    await rig.discard()
  },
}
