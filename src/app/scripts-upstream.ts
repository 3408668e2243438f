import type { Upstream } from '../gateway/upstream.ts'
import { SCRIPTS_SERVER, type SavedScript } from '../protocol/saved-scripts.ts'
import { createInProcess } from '../upstreams/in-process.ts'
import { expose } from '../upstreams/expose/expose.ts'
import type { World } from '../surfaces/world.ts'
import type { ScriptsService } from '../builtins/scripts/scripts-service.ts'

/** The server of saved scripts, which offers the scripts that people have approved. */
export interface ScriptsUpstream {
  readonly upstream: Upstream
  /** Whether there is any script to call; a server without tools is not shown. */
  readonly isUsed: boolean
  offer(scripts: readonly SavedScript[]): Promise<void>
}

export function createScriptsUpstream(world: () => World): ScriptsUpstream {
  let offered: ReadonlyMap<string, SavedScript> = new Map()
  let service: ScriptsService | undefined
  const inner = createInProcess({
    name: SCRIPTS_SERVER,
    description: 'Scripts that people have saved and approved, each a tool.',
    async open() {
      const { createScriptsService } = await import('../builtins/scripts/scripts-service.ts')
      service = createScriptsService()
      service.offer([...offered.values()])
      return service
    },
    makeCalls(method, params, { call, signal, client }) {
      const script = method === 'tools/call' ? offered.get(String(params['name'])) : undefined
      if (!script || !call) return undefined
      const running = { ...call, params, signal, client }
      return import('../surfaces/scripts/run-saved.ts').then(async ({ runSaved }) =>
        runSaved(script, running, world()),
      )
    },
  })
  return {
    upstream: expose(inner),
    get isUsed() {
      return offered.size > 0
    },
    async offer(scripts) {
      offered = new Map(scripts.map((script) => [script.name, script]))
      service?.offer(scripts)
      // It is listed when it is first opened, and again after every offer.
      if (offered.size > 0 || service) await inner.list()
    },
  }
}
