import type { Environment } from '../../../base/environment.ts'

/** Returns the URL of another installation's traces service; undefined for the embedded one. */
export function tracesUrl(env: Environment): string | undefined {
  return env['PORTOLAN_TRACES_URL'] || env['COMMONTRACE_API_BASE_URL'] || undefined
}
