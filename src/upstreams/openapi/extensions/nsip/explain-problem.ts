import type { JsonObject } from '../../../../base/json/json.ts'
import type { ApiProblem } from '../../call/api-problem.ts'

/** The error codes of the NSIP contract. */
export const NSIP_CODES = {
  invalidParams: -32602,
  api: -32000,
  validation: -32003,
  timeout: -32004,
  notFound: -32005,
  region: -32008,
} as const

/** `{code, message, data}` with a suggestion, as the contract has it; `isError` is set around it. */
export function explainProblem(problem: ApiProblem): JsonObject {
  const { tool, status, retryAfterMs, upstream, problems } = problem.details
  const [first, ...others] = problems ?? []
  return {
    code: codeOf(problem),
    message: problem.message,
    data: {
      ...(first ?? { suggestion: suggestionFor(problem) }),
      ...(others.length > 0 && { others }),
      tool,
      ...(status !== undefined && { http_status: status }),
      ...(retryAfterMs !== undefined && { retry_after: Math.ceil(retryAfterMs / 1000) }),
      ...(upstream !== undefined && { upstream }),
    },
  }
}

function codeOf({ kind, details: { status, problems } }: ApiProblem): number {
  if (kind === 'invalid' && problems?.[0]?.['parameter'] === 'region') return NSIP_CODES.region
  if (kind === 'invalid') return NSIP_CODES.invalidParams
  if (kind === 'timeout') return NSIP_CODES.timeout
  if (status === 404) return NSIP_CODES.notFound
  return status === 400 || status === 422 ? NSIP_CODES.validation : NSIP_CODES.api
}

function suggestionFor({ kind, hint, details: { status } }: ApiProblem): string {
  if (status === 404) return 'Check the id, or find animals with nsip_search_animals.'
  if (kind === 'timeout') return 'Try again in a moment; a smaller page_size answers faster.'
  return hint
}
