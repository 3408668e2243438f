import { z } from 'zod'
import type { TracesServiceOptions } from './create-traces-service.ts'

type Limits = Pick<
  TracesServiceOptions,
  'readTimeoutMs' | 'writeTimeoutMs' | 'failureThreshold' | 'recoveryMs'
>

const seconds = z.coerce.number().positive().optional()
const environment = z.object({
  READ_TIMEOUT: seconds,
  WRITE_TIMEOUT: seconds,
  CIRCUIT_FAILURE_THRESHOLD: z.coerce.number().int().positive().optional(),
  CIRCUIT_RECOVERY_TIMEOUT: seconds,
})

/** How long the tools wait and when they stop asking, by the names the environment has for it; times in seconds. */
export function limitsFromEnv(env: Readonly<Record<string, string | undefined>>): Limits {
  const parsed = environment.safeParse(env)
  if (!parsed.success) throw new Error(`Bad environment: ${z.prettifyError(parsed.error)}`)
  const { READ_TIMEOUT, WRITE_TIMEOUT, CIRCUIT_FAILURE_THRESHOLD, CIRCUIT_RECOVERY_TIMEOUT } =
    parsed.data
  return {
    readTimeoutMs: toMs(READ_TIMEOUT),
    writeTimeoutMs: toMs(WRITE_TIMEOUT),
    failureThreshold: CIRCUIT_FAILURE_THRESHOLD,
    recoveryMs: toMs(CIRCUIT_RECOVERY_TIMEOUT),
  }
}

function toMs(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1000
}
