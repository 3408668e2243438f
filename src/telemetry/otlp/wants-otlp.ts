import type { Environment } from '../../base/environment.ts'
/** From settings: what is there counts where the variable of OpenTelemetry is not set. */
export interface OtlpDefaults {
  readonly endpoint?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Whether the environment or the settings name a collector at all. */
export function wantsOtlp(env: Environment, { endpoint }: OtlpDefaults = {}): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false
  return (
    Boolean(endpoint) ||
    ['', '_TRACES', '_METRICS', '_LOGS'].some((kind) => env[`OTEL_EXPORTER_OTLP${kind}_ENDPOINT`])
  )
}
