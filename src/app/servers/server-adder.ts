import { type FillOptions, fillPlan } from '../../config/servers/add/fill-plan.ts'
import { checkProgram, planServers } from '../../config/servers/add/plan-server.ts'
import { mustBeNew, saveServers, toServerConfig } from '../../config/servers/add/save-server.ts'
import { searchRegistries } from '../../config/servers/add/registry/read-registry.ts'
import type { Workspace } from '../../config/paths.ts'
import type { Settings } from '../../config/settings/settings.ts'
import { findBubblewrap } from '../../upstreams/stdio/bubblewrap/find-bubblewrap.ts'
import type { ServerAdder, TriedServer } from '../../dashboard/server-adder.ts'

export type { ServerAdder, TriedServer }

export interface AddOptions {
  readonly place: Workspace
  readonly settings: Settings
  /** The servers file that gets them. */
  readonly file: string
}

/**
 * Creates what adds servers to a file.
 *
 * @example
 * ```ts
 * const adder = createServerAdder({ place, settings, file })
 * const [plan] = await adder.plan({ kind: 'registry', registryName: 'io.github.a/b' }, {})
 * const filled = adder.complete(plan, { API_KEY: 'typed' })
 * await adder.save([{ filled, tried: await adder.test(filled, 60_000) }], 'ada')
 * ```
 */
export function createServerAdder({ place, settings, file }: AddOptions): ServerAdder {
  const { home, registries } = settings
  const options: FillOptions & { readonly file: string } = { place, home, file }
  return {
    search: async (words) => searchRegistries(words, { registries, place }),
    async plan(source, { name, sandbox: wanted }) {
      const isPossible = source.kind === 'registry' && 'flags' in (await findBubblewrap())
      const sandbox = { isPossible, wanted }
      const plans = await planServers(source, { name, place, home, registries, sandbox })
      for (const plan of plans) mustBeNew(plan.name, file)
      return plans
    },
    complete(plan, values) {
      const filled = fillPlan(plan, values, options)
      toServerConfig(filled, options)
      return filled
    },
    async test(filled, timeoutMs) {
      const server = toServerConfig(filled, options)
      checkProgram(filled.name, filled.entry, place)
      const { tryServer } = await import('./try-server.ts')
      return tryServer(server, { settings, timeoutMs })
    },
    async save(servers, by) {
      const accepted = new Map(
        servers.flatMap(({ filled, tried }) =>
          tried?.accepted ? [[filled.name, tried.accepted] as const] : [],
        ),
      )
      const filled = servers.map((one) => one.filled)
      await saveServers(filled, { ...options, by, accepted })
    },
  }
}
