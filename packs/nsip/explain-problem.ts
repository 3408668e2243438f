import type { ApiProblem, JsonObject } from 'portolan'

/** The error codes of the NSIP contract. */
const NSIP_CODES = {
  invalidParams: -32602,
  api: -32000,
  validation: -32003,
  timeout: -32004,
  notFound: -32005,
  region: -32008,
} as const

/** Returns the contract's `{code, message, data}` with a suggestion; the caller sets `isError`. */
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

const ANIMAL = 'Give an LPN id such as 6401492020FLE249; nsip_search_animals finds them.'

const SUGGESTIONS: Readonly<Record<string, string>> = {
  search_string: ANIMAL,
  lpn_id: ANIMAL,
  breed_id: 'Call nsip_list_breeds for valid ids; Katahdin is 640.',
  page: 'Pages count from 0.',
  page_size: 'Ask for at most 100 at once and page through the rest.',
  breed_group_id: 'Put it into search_criteria, as breedGroupId; nsip_list_breeds has the ids.',
}

/** Returns how to find a valid value for an argument. */
export function suggestArgument(argument: string): string {
  return SUGGESTIONS[argument] ?? 'Correct it as expected says, or leave it out.'
}
