import type { CallEvent } from '../../gateway/call.ts'
import { isObject } from '../../base/json/json.ts'
import { isNamedAfterClient } from '../../identity/who-is.ts'
import { toAuditEntry } from '../../telemetry/audit/audit-entry.ts'
import type { AuditRecord } from '../../telemetry/audit/audit-search.ts'
import type { Call, Decision } from '../contract/calls.ts'

/** Converts the event of a call, by way of its audit entry, which contains no secrets. */
export function toLiveCall(event: Readonly<CallEvent>): Call {
  const record: unknown = JSON.parse(toAuditEntry(event))
  return toCall(isObject(record) ? record : {})
}

/** One audit record as the pages show it. */
export function toCall(record: AuditRecord): Call {
  const metadata: AuditRecord = isObject(record['metadata']) ? record['metadata'] : {}
  const cache = metadata['cache']
  const agent = text(record['agent_id'])
  const client = text(metadata['client'])
  const ancestors = names(metadata['on_behalf_of'])
  const caller = { agent: agent ?? '', ancestors, client: client ?? undefined }
  return {
    id: text(metadata['call_id']) ?? '',
    at: text(record['timestamp']) ?? '',
    agent,
    user: text(metadata['user']),
    onBehalfOf: ancestors ?? null,
    client,
    isClient: isNamedAfterClient(caller),
    folder: text(metadata['folder']),
    operation: text(record['operation']) ?? '',
    server: text(metadata['server']),
    tool: text(metadata['tool']),
    decision: toDecision(record['decision']),
    outcome: text(metadata['outcome']) ?? 'unknown',
    durationMs: number(record['latency_ms']) ?? 0,
    rule: text(metadata['rule']),
    reason: text(metadata['reason']),
    error: text(metadata['error']),
    cache: cache === 'hit' || cache === 'miss' ? cache : null,
    tokenCount: number(metadata['token_count']),
    tokensSaved: number(metadata['tokens_saved']),
    parent: text(metadata['parent']),
    approval: text(metadata['approval']),
    arguments: text(metadata['arguments']),
  }
}

function toDecision(value: unknown): Decision {
  return value === 'ALLOW' || value === 'DENY' || value === 'TIMEOUT' ? value : 'ERROR'
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function names(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
