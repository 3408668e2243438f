import type { BuiltinName } from '../../builtins/index.ts'
import { loadParts, toConfig } from '../../config/load.ts'
import { howToServe, isLeftOut, whyUnserved } from '../../config/servers/with-builtins.ts'
import { withStoredConfig } from './with-database.ts'

/**
 * Returns a note for those who fill a built-in server that agents cannot reach through the gateway of
 * this folder; undefined if they can, or if somebody switched it off.
 */
export async function noteOnServing(builtin: BuiltinName): Promise<string | undefined> {
  const load = await withStoredConfig({}).catch(() => undefined)
  const parts = load && loadParts(load)
  // The command did its work; `portolan check` says what is wrong with the files.
  if (!parts?.mcp.value || !parts.settings.value) return undefined
  if (!isLeftOut(builtin, toConfig(parts))) return undefined
  return `Note: ${whyUnserved(builtin)}. ${howToServe(builtin)}`
}
