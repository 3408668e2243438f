import type { JsonObject } from '../base/json.ts'
import { fits } from '../shaping/tokens.ts'

/** Below this, searching for tools costs an agent more than seeing them all. */
const DIRECT_TOKENS = 2000

/** What the surface `auto` shows: all permitted tools where they are few, the discovery tools otherwise. */
export function autoSurface(definitions: readonly JsonObject[]): 'direct' | 'discover' {
  return fits(JSON.stringify(definitions), DIRECT_TOKENS) ? 'direct' : 'discover'
}
