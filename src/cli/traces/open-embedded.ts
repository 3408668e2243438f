import { builtinContext, builtinOptionsFrom } from '../../app/builtins/builtin-context.ts'
import { type Embedded, openEmbedded } from '../../builtins/traces/open-embedded.ts'
import type { Environment } from '../../base/environment.ts'

/** Opens the service on the data folder or the database that the settings and the environment name. */
export async function openEmbeddedFrom(env: Environment): Promise<Embedded> {
  return openEmbedded(builtinContext(builtinOptionsFrom('traces', env)))
}
