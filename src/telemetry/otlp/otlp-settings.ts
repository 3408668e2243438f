import { hostname } from 'node:os'
import { VERSION } from '../../base/version.ts'
import { decodeUri } from '../../base/text/decode-uri.ts'
import type { Environment } from '../../base/environment.ts'
import { MAX_TIMER_MS } from '../../base/flow/time.ts'
import type { OtlpDefaults } from './wants-otlp.ts'

type Signal = 'traces' | 'metrics' | 'logs'

/** Where one kind of signal goes. */
export interface OtlpTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly gzip: boolean
}

export interface OtlpSettings {
  readonly traces: OtlpTarget | undefined
  readonly metrics: OtlpTarget | undefined
  readonly logs: OtlpTarget | undefined
  readonly resource: Readonly<Record<string, string>>
  readonly sampler: Sampler
  readonly spanDelayMs: number
  readonly maxQueue: number
  readonly maxBatch: number
  readonly metricIntervalMs: number
  /** Settings that are not supported. */
  readonly warnings: readonly string[]
}

/** Reads the environment variables of the OpenTelemetry SDKs. */
export function readOtlpSettings(env: Environment, defaults: OtlpDefaults = {}): OtlpSettings {
  const number = (name: string, fallback: number) => {
    const value = Number(env[name] || Number.NaN)
    return Number.isFinite(value) && value > 0 ? value : fallback
  }
  const milliseconds = (name: string, fallback: number) =>
    Math.min(number(name, fallback), MAX_TIMER_MS)
  const { sampler, warning } = parseSampler(
    env['OTEL_TRACES_SAMPLER'],
    env['OTEL_TRACES_SAMPLER_ARG'],
  )
  const protocol = env['OTEL_EXPORTER_OTLP_PROTOCOL']
  return {
    traces: target('traces', env, defaults),
    metrics: target('metrics', env, defaults),
    logs: target('logs', env, defaults),
    resource: resourceOf(env),
    sampler,
    spanDelayMs: milliseconds('OTEL_BSP_SCHEDULE_DELAY', 5000),
    maxQueue: number('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
    maxBatch: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
    metricIntervalMs: milliseconds('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    warnings: [
      ...(warning === undefined ? [] : [warning]),
      ...(protocol === 'grpc'
        ? ['OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported: OTLP is sent over HTTP (port 4318)']
        : []),
    ],
  }
}

function target(signal: Signal, env: Environment, defaults: OtlpDefaults): OtlpTarget | undefined {
  const kind = signal.toUpperCase()
  if (env[`OTEL_${kind}_EXPORTER`] === 'none') return undefined
  const own = env[`OTEL_EXPORTER_OTLP_${kind}_ENDPOINT`]
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || defaults.endpoint
  const url = own || (base && `${base.replace(/\/+$/, '')}/v1/${signal}`)
  if (!url) return undefined
  const setting = (name: string) =>
    env[`OTEL_EXPORTER_OTLP_${kind}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`]
  return {
    url,
    headers: { ...defaults.headers, ...parsePairs(setting('HEADERS')) },
    timeoutMs: Number(setting('TIMEOUT')) || 10_000,
    gzip: setting('COMPRESSION') === 'gzip',
  }
}

function resourceOf(env: Environment): Record<string, string> {
  const given = parsePairs(env['OTEL_RESOURCE_ATTRIBUTES'])
  return {
    'service.name': 'portolan',
    'service.version': VERSION,
    'service.instance.id': `${hostname()}-${process.pid}`,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'portolan',
    'telemetry.sdk.version': VERSION,
    ...given,
    ...(env['OTEL_SERVICE_NAME'] && { 'service.name': env['OTEL_SERVICE_NAME'] }),
  }
}

/** Parses `a=1,b=two%20words`, the list format of W3C Baggage. */
function parsePairs(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeUri(pair.slice(at + 1).trim())]]
  })
  return Object.fromEntries(pairs)
}

/** Decides whether a trace is recorded: as its parent was, or by the trace id. */
type Sampler = (traceId: string, parentSampled: boolean | undefined) => boolean

const WHOLE = 2 ** 32

/** Returns the sampler that OTEL_TRACES_SAMPLER names. */
function parseSampler(
  name = '',
  argument = '',
): { readonly sampler: Sampler; readonly warning?: string } {
  const parented = name === '' || name.startsWith('parentbased_')
  const root = name === '' ? 'always_on' : name.replace(/^parentbased_/, '')
  const decide = rootSampler(root, argument)
  if (decide === undefined)
    return {
      sampler: (_, parentSampled) => parentSampled ?? true,
      warning: `OTEL_TRACES_SAMPLER=${name} is not known here: parentbased_always_on is used`,
    }
  if (!parented) return { sampler: (traceId) => decide(traceId) }
  return { sampler: (traceId, parentSampled) => parentSampled ?? decide(traceId) }
}

function rootSampler(name: string, argument: string): ((traceId: string) => boolean) | undefined {
  if (name === 'always_on') return () => true
  if (name === 'always_off') return () => false
  if (name !== 'traceidratio') return undefined
  const ratio = argument === '' ? 1 : Number(argument)
  const limit = (Number.isFinite(ratio) ? Math.min(Math.max(ratio, 0), 1) : 1) * WHOLE
  // The end of the id is random in every version of Trace Context, so that all services with the
  // same ratio sample the same traces.
  return (traceId) => Number.parseInt(traceId.slice(-8), 16) < limit
}
