import { isObject, parseObject } from '../../base/json/json.ts'
import type { CountedEvent } from './usage-counts.ts'

/** Reads what is counted of an audit line; undefined for a line that was cut short. */
export function toEvent(line: string): CountedEvent | undefined {
  const entry = parseObject(line)
  const metadata = entry?.['metadata']
  const at = Date.parse(text(entry?.['timestamp']) ?? '')
  if (!entry || !isObject(metadata) || Number.isNaN(at)) return undefined
  const durationMs = number(entry['latency_ms']) ?? 0
  const { cache, surface } = metadata
  // A million lines are read at a time: this is several times faster than adding only what is there.
  const event: CountedEvent = {
    id: '',
    startedAt: at - durationMs,
    durationMs,
    operation: text(entry['operation']) ?? '',
    decision: toDecision(entry['decision']),
    agent: text(entry['agent_id']),
    ancestors: texts(metadata['on_behalf_of']),
    user: text(metadata['user']),
    groups: texts(metadata['groups']),
    client: text(metadata['client']),
    parent: text(metadata['parent']),
    server: text(metadata['server']),
    tool: text(metadata['tool']),
    outcome: text(metadata['outcome']),
    tokenCount: number(metadata['token_count']),
    tokensSaved: number(metadata['tokens_saved']),
    answerChars: number(metadata['answer_chars']),
    isError: metadata['is_error'] === true,
    cache: cache === 'hit' || cache === 'miss' ? cache : undefined,
    surface: surface === 'discover' ? surface : undefined,
  }
  return event
}

function toDecision(value: unknown): CountedEvent['decision'] {
  return value === 'ALLOW' || value === 'DENY' || value === 'TIMEOUT' ? value : 'ERROR'
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function texts(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
