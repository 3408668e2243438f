import { z } from 'zod'
import { type Environment, parseEnvironment } from '../../../base/environment.ts'
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

export const LIMIT_NAMES: readonly string[] = Object.keys(environment.shape)

/** How long the tools wait and when they stop asking (`PORTOLAN_TRACES_READ_TIMEOUT` …); times in seconds. */
export function limitsFromEnv(env: Environment): Limits {
  const data = parseEnvironment(environment, 'PORTOLAN_TRACES_', {
    PORTOLAN_TRACES_MCP_RATE_LIMIT_PER_MINUTE: env['MCP_RATE_LIMIT_PER_MINUTE'],
    ...env,
  })
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
