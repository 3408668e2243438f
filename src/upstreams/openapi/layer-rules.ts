import type { ApiConfig } from './api-config.ts'
import type { ToolRules } from './tool-rules.ts'

/** What one result of an API may cost where nobody said otherwise. Exactly as many pass untouched. */
export const DEFAULT_BUDGET = 2_000

/** What the gateway's layers need to know of one tool; the shapes are those of its own options. */
export interface LayerRules {
  readonly maxTokens: number
  /** Undefined: as the gateway is configured. */
  readonly cacheTtlMs: number | undefined
  readonly summary: Pick<ToolRules, 'keep' | 'omit' | 'top'>
  /** The argument that asks for a summary (`true`) or for the whole result (`false`). */
  readonly summarizeFlag: string | undefined
  /** Arguments that are meant for the gateway: no part of what is asked of the API. */
  readonly flags: readonly string[]
}

export function layerRules(
  { budget, cacheSeconds }: Pick<ApiConfig, 'budget' | 'cacheSeconds'>,
  rules: ToolRules,
): LayerRules {
  const ttlSeconds = rules.cacheSeconds ?? cacheSeconds
  const { keep, omit, top } = rules
  return {
    maxTokens: rules.budgetTokens ?? budget ?? DEFAULT_BUDGET,
    cacheTtlMs: ttlSeconds === undefined ? undefined : ttlSeconds * 1000,
    summary: { keep, omit, top },
    summarizeFlag: rules.summarizeFlag,
    flags: Object.keys(rules.flags ?? {}),
  }
}
