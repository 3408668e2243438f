import { join } from 'node:path'
import type { Settings } from '../config/settings/settings.ts'
import type { Ledger } from '../gateway/layers/audit.ts'
import type { Tracing } from '../gateway/tracing.ts'
import type { AuditExport, Sink } from '../telemetry/audit/export/audit-export.ts'
import type { Log } from '../telemetry/log.ts'
import type { Gauge, Metrics } from '../telemetry/metrics/metrics.ts'
import type { Otlp } from '../telemetry/otlp/open-otlp.ts'
import { type OtlpDefaults, wantsOtlp } from '../telemetry/otlp/wants-otlp.ts'
import type { Environment } from '../base/environment.ts'

/** Sends data about calls to other systems, besides the audit file and `/metrics`. */
export interface Telemetry {
  readonly tracing: Tracing | undefined
  /** Reads the event of every call. */
  readonly ledger: Ledger | undefined
  readonly gauges: readonly Gauge[]
  /** Receives the metrics that `/metrics` shows, to send them too. */
  readonly measures: ((metrics: Pick<Metrics, 'collect'>) => void) | undefined
  /** Must be called before an audit file is deleted. */
  readonly beforeDiscard: ((path: string) => Promise<void>) | undefined
  /** Sends what is still queued; called after the audit file was closed. */
  close(): Promise<void>
}

/** Opens what the settings or the OpenTelemetry variables ask for; loads nothing otherwise. */
export async function openTelemetry(
  settings: Settings,
  env: Environment,
  log: Log,
): Promise<Telemetry | undefined> {
  const { telemetry, audit } = settings
  const defaults: OtlpDefaults = { endpoint: telemetry.otlp, headers: telemetry.headers }
  const otlp = wantsOtlp(env, defaults) ? await startOtlp(env, defaults, log) : undefined
  const exported = audit.export ? await startExport(audit.export, settings, env, log) : undefined
  if (!otlp && !exported) return undefined
  return {
    tracing: otlp?.tracing,
    ledger: otlp && withLog(otlp, log),
    gauges: [...(otlp ? [spanGauge(otlp)] : []), ...(exported ? exportGauges(exported) : [])],
    measures: otlp && ((metrics) => otlp.include(() => metrics.collect())),
    beforeDiscard: exported?.discarding,
    async close() {
      await exported?.close()
      await otlp?.close()
    },
  }
}

async function startOtlp(env: Environment, defaults: OtlpDefaults, log: Log): Promise<Otlp> {
  const [{ openOtlp }, { readOtlpSettings }] = await Promise.all([
    import('../telemetry/otlp/open-otlp.ts'),
    import('../telemetry/otlp/otlp-settings.ts'),
  ])
  return openOtlp(readOtlpSettings(env, defaults), log)
}

async function startExport(
  address: string,
  { home, audit, telemetry }: Settings,
  env: Environment,
  log: Log,
): Promise<AuditExport> {
  const defaults = { endpoint: telemetry.otlp, headers: telemetry.headers }
  const sink = await (address === 'otlp' ? otlpSink(env, defaults) : syslogSink(address))
  const { openAuditExport } = await import('../telemetry/audit/export/audit-export.ts')
  return openAuditExport({
    path: audit.path ?? join(home, 'audit.jsonl'),
    keep: audit.maxFiles,
    positionPath: join(home, 'audit-export.json'),
    sink,
    log,
  })
}

async function syslogSink(address: string): Promise<Sink> {
  return (await import('../telemetry/audit/export/syslog-sink.ts')).createSyslogSink(address)
}

async function otlpSink(env: Environment, defaults: OtlpDefaults): Promise<Sink> {
  const { readOtlpSettings } = await import('../telemetry/otlp/otlp-settings.ts')
  const { logs, resource } = readOtlpSettings(env, defaults)
  if (!logs)
    throw new Error(
      'audit.export is "otlp", but no collector is named: set telemetry.otlp or OTEL_EXPORTER_OTLP_ENDPOINT',
    )
  return (await import('../telemetry/audit/export/otlp-sink.ts')).createOtlpSink(logs, resource)
}

/** Also logs failed calls, with the ids under which their traces are found. */
function withLog(otlp: Otlp, log: Log): Ledger {
  return {
    record(event) {
      otlp.record(event)
      const { decision, span } = event
      if ((decision !== 'ERROR' && decision !== 'TIMEOUT') || !span) return
      log.warn('a call failed', {
        trace_id: span.traceId,
        span_id: span.spanId,
        call_id: event.id,
        operation: event.operation,
        server: event.server,
        tool: event.tool,
        outcome: event.outcome,
      })
    },
  }
}

function spanGauge(otlp: Otlp): Gauge {
  return {
    name: 'otlp_spans_dropped',
    help: 'Spans that could not be sent.',
    read: () => otlp.dropped,
  }
}

function exportGauges(exported: AuditExport): Gauge[] {
  return [
    { name: 'audit_exported', help: 'Audit entries sent on.', read: () => exported.sent },
    {
      name: 'audit_export_dropped',
      help: 'Audit entries rotated away before they could be sent on.',
      read: () => exported.dropped,
    },
  ]
}
