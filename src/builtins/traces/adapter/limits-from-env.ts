import type { Environment } from '../../../base/environment.ts'
import { readSettings } from '../../../base/setting-table.ts'
import type { TimeLimits } from '../port.ts'
import { ADAPTER_SETTINGS, SERVICE_SETTINGS } from '../settings.ts'

export interface CallLimits extends TimeLimits {
  readonly failureThreshold: number
  readonly recoveryMs: number
  readonly keyHeader: string
}

const { apiKeyHeaderName } = SERVICE_SETTINGS

/** Reads time limits and other limits (`PORTOLAN_TRACES_READ_TIMEOUT` …); times are in seconds. */
export function limitsFromEnv(env: Environment): CallLimits & { readonly skills: number } {
  const data = readSettings({ ...ADAPTER_SETTINGS, apiKeyHeaderName }, 'traces', env)
  return {
    readTimeoutMs: data.readTimeout * 1000,
    writeTimeoutMs: data.writeTimeout * 1000,
    failureThreshold: data.circuitFailureThreshold,
    recoveryMs: data.circuitRecoveryTimeout * 1000,
    keyHeader: data.apiKeyHeaderName,
    skills: data.skills,
  }
}
