import type { Environment } from '../../../base/environment.ts'
import { readSettings } from '../../../base/setting-table.ts'
import { ADAPTER_SETTINGS, SERVICE_SETTINGS } from '../settings.ts'
import type { TracesServiceOptions } from './create-traces-service.ts'

type Limits = Pick<
  TracesServiceOptions,
  | 'readTimeoutMs'
  | 'writeTimeoutMs'
  | 'failureThreshold'
  | 'recoveryMs'
  | 'callsPerMinute'
  | 'keyHeader'
  | 'skills'
>

const { apiKeyHeaderName } = SERVICE_SETTINGS

/** Reads time limits and other limits (`PORTOLAN_TRACES_READ_TIMEOUT` …); times are in seconds. */
export function limitsFromEnv(env: Environment): Limits {
  const data = readSettings({ ...ADAPTER_SETTINGS, apiKeyHeaderName }, 'traces', {
    PORTOLAN_TRACES_MCP_RATE_LIMIT_PER_MINUTE: env['MCP_RATE_LIMIT_PER_MINUTE'],
    ...env,
  })
  return {
    readTimeoutMs: toMs(data.readTimeout),
    writeTimeoutMs: toMs(data.writeTimeout),
    failureThreshold: data.circuitFailureThreshold,
    recoveryMs: toMs(data.circuitRecoveryTimeout),
    callsPerMinute: data.mcpRateLimitPerMinute,
    keyHeader: data.apiKeyHeaderName,
    skills: data.skills,
  }
}

function toMs(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1000
}
