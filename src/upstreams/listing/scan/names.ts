import { type JsonObject } from '../../../base/json/json.ts'
import type { ScanFinding } from './finding.ts'
import type { DefinitionText } from './texts-of.ts'

/** Names that a definition may mean or imitate. */
export interface KnownNames {
  /** The tools of the other servers, by server. */
  readonly tools?: ReadonlyMap<string, readonly string[]>
}

export function scanNames(
  _definition: JsonObject,
  _texts: readonly DefinitionText[],
  _known: KnownNames & { readonly server: string },
): ScanFinding[] {
  return []
}
