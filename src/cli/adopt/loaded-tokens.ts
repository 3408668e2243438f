import type { JsonObject } from '../../base/json/json.ts'
import type { ClientProfile } from '../../protocol/client-profiles.ts'
import { metaOf } from '../../protocol/versions.ts'
import { definitionTokens } from '../../app/health/probe.ts'
import { countTokens } from '../../shaping/tokens.ts'

/** Counts what a client shows models of one tool before they search. */
export function loadedTokens(
  definition: JsonObject,
  isDeferred: boolean,
  profile: ClientProfile | undefined,
): number {
  const { loads, maxTextChars = Infinity } = profile?.facts ?? {}
  const { name, description = '' } = definition
  const isMarked = profile?.readsMarks && metaOf(definition)['anthropic/alwaysLoad'] === true
  if (isDeferred && !isMarked) {
    const shown = typeof loads === 'object' ? loads.descriptionChars : 0
    return countTokens(`${String(name)} ${String(description).slice(0, shown)}`.trim() + '\n')
  }
  return definitionTokens([
    { ...definition, description: String(description).slice(0, maxTextChars) },
  ])
}
