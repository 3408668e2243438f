import type { Rules } from '../../gateway/agents/rules.ts'
import type { RulesFile } from './parse-rules.ts'

/**
 * Merges the rules of several files, weakest first; undefined without any, which allows everything.
 * An agent's rules come entirely from the strongest file that names it, because rules mixed from
 * two files would allow what neither author meant.
 */
export function mergeRules(layers: readonly RulesFile[]): Rules | undefined {
  const files = layers.filter(({ deniesOnly }) => !deniesOnly)
  if (files.length === 0) return undefined
  const stated = files.flatMap(({ denyOnMissingAgent }) => denyOnMissingAgent ?? [])
  return {
    agents: Object.fromEntries(files.flatMap(({ agents }) => Object.entries(agents))),
    groups: Object.fromEntries(files.flatMap(({ groups = {} }) => Object.entries(groups))),
    denyOnMissingAgent: stated.at(-1) ?? true,
  }
}
