import type { JsonObject } from '../../../base/json/json.ts'
import type { ToolOutput } from '../../kit/define-tool.ts'
import { SERVER_NAME } from '../common-trace-names.ts'
import type { DegradedReason, Outcome } from '../port.ts'

type OtherReason = Exclude<DegradedReason, 'timeout'>

const READ_TEXTS: Record<OtherReason, string> = {
  circuit_open: `[${SERVER_NAME} unavailable] The knowledge base is temporarily unreachable. Continuing without trace lookup. You can retry later.`,
  unavailable: `[${SERVER_NAME} unavailable] The knowledge base is temporarily unreachable. Continuing without trace lookup. You can retry later.`,
  rate_limited: `[${SERVER_NAME} rate limit] Too many requests for this key.`,
}

const WRITE_TEXTS: Record<OtherReason, string> = {
  circuit_open: `[${SERVER_NAME} unavailable] The knowledge base is temporarily unreachable. Nothing was stored. You can retry later.`,
  unavailable: `[${SERVER_NAME} unavailable] The knowledge base is temporarily unreachable. It is not certain that this was stored. You can retry later.`,
  rate_limited: `[${SERVER_NAME} rate limit] Too many requests for this key. Nothing was stored.`,
}

/** A search has its own text, because other reads do not search. */
const TIMEOUT_TEXTS: Record<'search' | 'read' | 'write', string> = {
  search: `[${SERVER_NAME} timeout] Search took too long and was cancelled. The knowledge base may be under heavy load. Continuing without results.`,
  read: `[${SERVER_NAME} timeout] The knowledge base took too long to answer and the request was cancelled. It may be under heavy load. Continuing without an answer.`,
  write: `[${SERVER_NAME} timeout] The knowledge base did not confirm in time. It may have been stored all the same: search before you retry.`,
}

const UNEXPECTED = `[${SERVER_NAME} error] The service answered, but not as a traces service does. Check its address (API_BASE_URL, PORTOLAN_TRACES_URL).`

export interface Reading {
  readonly kind: 'search' | 'read' | 'write'
  /** Whether the answer is from a traces service, and not from another server at its address. */
  readonly isExpected: (body: JsonObject) => boolean
  readonly text: (body: JsonObject) => string
}

/** Returns text and structured content for every outcome; it is never a failed tool call. */
export function toOutput(outcome: Outcome, { kind, isExpected, text }: Reading): ToolOutput {
  if (outcome.kind === 'ok') {
    const { body } = outcome
    if (!isExpected(body))
      return { text: UNEXPECTED, structured: { degraded: true, reason: 'unexpected_answer' } }
    return { text: text(body), structured: { ...body, degraded: Boolean(body['degraded']) } }
  }
  if (outcome.kind === 'refused') {
    const { status, detail, problem } = outcome
    return {
      text: `[${SERVER_NAME} error] ${detail} (HTTP ${status})`,
      structured: { degraded: false, error: { ...problem, status, detail } },
    }
  }
  const { reason, retryAfterSeconds } = outcome
  const said =
    reason === 'timeout'
      ? TIMEOUT_TEXTS[kind]
      : (kind === 'write' ? WRITE_TEXTS : READ_TEXTS)[reason]
  const isKnown = retryAfterSeconds !== undefined
  return {
    text: isKnown ? `${said} Try again in ${retryAfterSeconds} s.` : said,
    structured: {
      degraded: true,
      reason,
      ...(isKnown && { retry_after_seconds: retryAfterSeconds }),
    },
  }
}
