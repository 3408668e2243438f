import { Canceller } from '../../base/flow/signal.ts'
import type { Settings } from '../../config/settings/settings.ts'
import { limitsOf } from '../../sandbox/limits.ts'
import { type Finding, findings } from './finding.ts'

const TIMEOUT_MS = 20_000

/** Runs one script. Its VM reserves 10 GB of address space, which not every machine allows. */
export async function checkScripts({ scripts }: Pick<Settings, 'scripts'>): Promise<Finding> {
  const { ok, fail } = findings('scripts')
  if (scripts.enabled === false) return ok('switched off')
  const { SandboxPool } = await import('../../sandbox/pool.ts')
  const pool = new SandboxPool(limitsOf({ ...scripts, threads: 1 }))
  const host = { answer: async () => ({ kind: 'value', text: 'null' }) as const, log: () => {} }
  try {
    const script = { source: '6 * 7', input: undefined, wallMs: TIMEOUT_MS }
    const { outcome, memoryBytes } = await pool.run(script, host, new Canceller())
    if ('json' in outcome)
      return ok(`a script ran, in ${(memoryBytes / 2 ** 20).toFixed(1)} MB of memory`)
    const why = 'failure' in outcome ? outcome.failure.message || outcome.failure.code : 'suspended'
    return fail(
      `scripts cannot run: ${why}`,
      'Each reserves 10 GB of addresses: remove a limit of virtual memory (ulimit -v), or set scripts.enabled to false.',
    )
  } finally {
    await pool.close()
  }
}
