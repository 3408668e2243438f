import { z } from 'zod'
import type { TracesServiceOptions } from './create-traces-service.ts'

type Limits = Pick<
  TracesServiceOptions,
  | 'readTimeoutMs'
  | 'writeTimeoutMs'
  | 'failureThreshold'
  | 'recoveryMs'
  | 'callsPerMinute'
  | 'keyHeader'
>

const seconds = z.coerce.number().positive().optional()
const environment = z.object({
  READ_TIMEOUT: seconds,
  WRITE_TIMEOUT: seconds,
  CIRCUIT_FAILURE_THRESHOLD: z.coerce.number().int().positive().optional(),
  CIRCUIT_RECOVERY_TIMEOUT: seconds,
  MCP_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().nonnegative().optional(),
  API_KEY_HEADER_NAME: z.string().min(1).optional(),
})

/** How long the tools wait and when they stop asking, by the names the environment has for it; times in seconds. */
export function limitsFromEnv(env: Readonly<Record<string, string | undefined>>): Limits {
  const parsed = environment.safeParse(env)
  if (!parsed.success) throw new Error(`Bad environment: ${z.prettifyError(parsed.error)}`)
  const { data } = parsed
  return {
    readTimeoutMs: toMs(data.READ_TIMEOUT),
    writeTimeoutMs: toMs(data.WRITE_TIMEOUT),
    failureThreshold: data.CIRCUIT_FAILURE_THRESHOLD,
    recoveryMs: toMs(data.CIRCUIT_RECOVERY_TIMEOUT),
    callsPerMinute: data.MCP_RATE_LIMIT_PER_MINUTE,
    keyHeader: data.API_KEY_HEADER_NAME,
  }
}

function toMs(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1000
}
