import { HOSTILE_LIMITS, HostileSandbox } from '../../test/support/hostile-sandbox.ts'
import { HOSTILE_SCRIPTS } from '../../test/support/hostile-scripts.ts'
import type { Attack } from './report.ts'

const MIB = 1024 * 1024

/** Scripts that exhaust memory, time and stack, flood the gateway, and try to reach the host. */
export const scripts: Attack = {
  name: 'hostile scripts',
  async run(field) {
    const sandbox = new HostileSandbox()
    let worst = 0
    for (const script of HOSTILE_SCRIPTS)
      await field.try(script.name, async () => {
        const { ms, memoryBytes, end, escaped, inTime } = await sandbox.attempt(script)
        worst = Math.max(worst, memoryBytes)
        if (escaped || !inTime)
          throw new Error(`after ${Math.round(ms)} ms, ${memoryBytes} bytes: ${end}`)
        return true
      })
    await sandbox.close()
    const worstMb = (worst / MIB).toFixed(1)
    console.log(
      `  ${HOSTILE_SCRIPTS.length} scripts, at most ${worstMb} MB of ${HOSTILE_LIMITS.wallBytes / MIB}`,
    )
  },
}
