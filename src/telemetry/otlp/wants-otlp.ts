import type { Environment } from '../../base/environment.ts'
/** Values of the settings, used where the OpenTelemetry variable is not set. */
export interface OtlpDefaults {
  readonly endpoint?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Whether the environment or the settings name a collector. */
export function wantsOtlp(env: Environment, { endpoint }: OtlpDefaults = {}): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false
  return (
    Boolean(endpoint) ||
    ['', '_TRACES', '_METRICS', '_LOGS'].some((kind) => env[`OTEL_EXPORTER_OTLP${kind}_ENDPOINT`])
  )
}
