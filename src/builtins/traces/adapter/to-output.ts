import type { JsonObject } from '../../../base/json.ts'
import type { ToolOutput } from '../../kit/define-tool.ts'
import type { DegradedReason, Outcome } from './backend.ts'

const READ_TEXTS: Record<DegradedReason, string> = {
  circuit_open:
    '[CommonTrace unavailable] The knowledge base is temporarily unreachable. Continuing without trace lookup. You can retry later.',
  unavailable:
    '[CommonTrace unavailable] The knowledge base is temporarily unreachable. Continuing without trace lookup. You can retry later.',
  timeout:
    '[CommonTrace timeout] Search took too long and was cancelled. The knowledge base may be under heavy load. Continuing without results.',
  rate_limited: '[CommonTrace rate limit] Too many requests for this key.',
}

const WRITE_TEXTS: Record<DegradedReason, string> = {
  circuit_open:
    '[CommonTrace unavailable] The knowledge base is temporarily unreachable. Nothing was stored. You can retry later.',
  unavailable:
    '[CommonTrace unavailable] The knowledge base is temporarily unreachable. It is not certain that this was stored. You can retry later.',
  timeout:
    '[CommonTrace timeout] The knowledge base did not confirm in time. It may have been stored all the same: search before you retry.',
  rate_limited: '[CommonTrace rate limit] Too many requests for this key. Nothing was stored.',
}

/** A readable text in every case, and the same for programs: never a failed tool call. */
export function toOutput(
  outcome: Outcome,
  kind: 'read' | 'write',
  onSuccess: (body: JsonObject) => string,
): ToolOutput {
  if (outcome.kind === 'ok') {
    const { body } = outcome
    return { text: onSuccess(body), structured: { ...body, degraded: Boolean(body['degraded']) } }
  }
  if (outcome.kind === 'refused') {
    const { status, detail, problem } = outcome
    return {
      text: `[CommonTrace error] ${detail} (HTTP ${status})`,
      structured: { degraded: false, error: { ...problem, status, detail } },
    }
  }
  const { reason, retryAfterSeconds } = outcome
  const text = (kind === 'read' ? READ_TEXTS : WRITE_TEXTS)[reason]
  const isKnown = retryAfterSeconds !== undefined
  return {
    text: isKnown ? `${text} Try again in ${retryAfterSeconds} s.` : text,
    structured: {
      degraded: true,
      reason,
      ...(isKnown && { retry_after_seconds: retryAfterSeconds }),
    },
  }
}
