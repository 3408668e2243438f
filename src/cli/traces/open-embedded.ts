import { builtinContext, builtinOptionsFrom } from '../../app/builtins/builtin-context.ts'
import type { Community } from '../../builtins/traces/community/open-community.ts'
import { type Embedded, openEmbeddedAs } from '../../builtins/traces/open-embedded.ts'
import { openTraces } from '../../builtins/traces/service/open-traces.ts'
import type { Environment } from '../../base/environment.ts'

/** Opens the traces in the data folder or the database that the settings and the environment name. */
export async function openEmbeddedFrom(env: Environment): Promise<Embedded> {
  return openEmbeddedAs(builtinContext(builtinOptionsFrom('traces', env)), { open: openTraces })
}

/** Opens the same with everything that only `traces serve` and the administration need. */
export async function openCommunityFrom(env: Environment): Promise<Embedded<Community>> {
  const { openCommunity } = await import('../../builtins/traces/community/open-community.ts')
  return openEmbeddedAs(builtinContext(builtinOptionsFrom('traces', env)), { open: openCommunity })
}
