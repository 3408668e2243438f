import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { RefusedArguments, ResultRules } from '../../protocol/service.ts'
import type { ApiConfig } from './load/api-config.ts'
import { ApiProblem } from './call/api-problem.ts'
import type { ApiExtension } from './extension.ts'
import { errorResult } from './call/to-result.ts'
import type { ToolRules } from './tools/tool-rules.ts'

/** The default budget of an API result in tokens. One of exactly this size is not shortened. */
const DEFAULT_BUDGET = 2_000

export function resultRules(
  { budget, cacheSeconds }: Pick<ApiConfig, 'budget' | 'cacheSeconds'>,
  rules: ToolRules,
  extension: ApiExtension = {},
): ResultRules {
  const ttlSeconds = rules.cacheSeconds ?? cacheSeconds
  const { keep, omit, top, share } = rules
  return {
    maxTokens: rules.budgetTokens ?? budget ?? DEFAULT_BUDGET,
    cacheTtlMs: ttlSeconds === undefined ? undefined : ttlSeconds * 1000,
    closed: true,
    refuse: toArgumentError(extension),
    retriesItself: true,
    summary: { keep, omit, top, share },
    summarizeFlag: rules.summarizeFlag,
  }
}

/** Reports invalid arguments in the error form of the pack, if it has one. */
function toArgumentError({ explain, suggest }: ApiExtension): ResultRules['refuse'] {
  if (!explain) return undefined
  return ({ tool, problems: found, arguments: given }: RefusedArguments) => {
    const message = found.map(
      ({ path, expected, got }) => `${path}: expected ${expected}, got ${got}`,
    )
    const problems = found.map(({ path, expected, did_you_mean: meant }) => ({
      parameter: path,
      value: valueAt(given, path),
      expected,
      suggestion: meant === undefined ? suggest?.(path) : `Did you mean ${meant}?`,
    }))
    const details = { tool, server: '', problems }
    return errorResult(explain(new ApiProblem('invalid', message.join('; '), details)))
  }
}

function valueAt(given: JsonObject, path: string): unknown {
  const end = path
    .split('.')
    .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), given)
  return end ?? null
}
