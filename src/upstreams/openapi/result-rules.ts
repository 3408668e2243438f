import type { ResultRules } from '../../protocol/service.ts'
import type { ApiConfig } from './api-config.ts'
import type { ToolRules } from './tool-rules.ts'

/** What one result of an API may cost where nobody said otherwise. Exactly as many pass untouched. */
export const DEFAULT_BUDGET = 2_000

export function resultRules(
  { budget, cacheSeconds }: Pick<ApiConfig, 'budget' | 'cacheSeconds'>,
  rules: ToolRules,
  checksArguments: boolean,
): ResultRules {
  const ttlSeconds = rules.cacheSeconds ?? cacheSeconds
  const { keep, omit, top } = rules
  return {
    maxTokens: rules.budgetTokens ?? budget ?? DEFAULT_BUDGET,
    cacheTtlMs: ttlSeconds === undefined ? undefined : ttlSeconds * 1000,
    // Calls carry the credentials of the configuration, never those of an agent.
    cacheShared: true,
    checksArguments,
    retriesItself: true,
    summary: { keep, omit, top },
    summarizeFlag: rules.summarizeFlag,
  }
}
