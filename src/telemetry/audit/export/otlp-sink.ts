import { VERSION } from '../../../base/version.ts'
import { encodeAttributes, encodeNanos } from '../../otlp/otlp-json.ts'
import { postOtlp } from '../../otlp/otlp-post.ts'
import type { OtlpSettings, OtlpTarget } from '../../otlp/otlp-settings.ts'
import type { Sink } from './audit-export.ts'

const SEVERITY: Readonly<Record<string, number>> = { ALLOW: 9, DENY: 10, ERROR: 13, TIMEOUT: 13 }

interface AuditLine {
  readonly timestamp?: string
  readonly agent_id?: string | null
  readonly operation?: string
  readonly decision?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Sends audit lines as log records: the whole line as body, fields to filter by as attributes. */
export function createOtlpSink(target: OtlpTarget, resource: OtlpSettings['resource']): Sink {
  const head =
    `{"resourceLogs":[{"resource":{"attributes":${encodeAttributes(resource)}},"scopeLogs":[{` +
    `"scope":{"name":"portolan.audit","version":"${VERSION}"},"logRecords":[`
  return {
    async send(lines) {
      const sent = await postOtlp(target, `${head}${lines.map(toRecord).join(',')}]}]}]}`)
      if (sent.kind !== 'sent') throw new Error(sent.error)
    },
    async close() {},
  }
}

function toRecord(line: string): string {
  const { timestamp, agent_id, operation, decision = '', metadata = {} } = parse(line)
  const at = encodeNanos(timestamp === undefined ? Date.now() : Date.parse(timestamp))
  const { trace_id, span_id, server, tool, call_id } = metadata
  const attributes = encodeAttributes({
    'portolan.agent': agent_id ?? undefined,
    'portolan.operation': operation,
    'portolan.decision': decision,
    'portolan.upstream': text(server),
    'gen_ai.tool.name': text(tool),
    'portolan.call.id': text(call_id),
  })
  const traced =
    typeof trace_id === 'string' && typeof span_id === 'string'
      ? `,"traceId":"${trace_id}","spanId":"${span_id}"`
      : ''
  return (
    `{"timeUnixNano":${at},"observedTimeUnixNano":${at},"eventName":"portolan.audit"` +
    `,"severityNumber":${SEVERITY[decision] ?? 9},"body":{"stringValue":${JSON.stringify(line)}}` +
    `,"attributes":${attributes}${traced}}`
  )
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function parse(line: string): AuditLine {
  try {
    const value: AuditLine = JSON.parse(line)
    return value
  } catch {
    return {}
  }
}
