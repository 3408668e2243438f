import { commandContext } from '../../app/builtins/builtin-context.ts'
import { type Embedded, openEmbedded } from '../../builtins/traces/open-embedded.ts'
import type { Environment } from '../../base/environment.ts'

/** Opens the service on the data folder or the database that the environment names. */
export async function openEmbeddedFrom(env: Environment): Promise<Embedded> {
  return openEmbedded(commandContext('traces', env))
}
