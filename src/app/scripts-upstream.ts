import type { Upstream } from '../gateway/upstream.ts'
import { SCRIPTS_SERVER, type ScriptVersion } from '../protocol/saved-scripts.ts'
import { createInProcess } from '../upstreams/in-process.ts'
import { ownUris } from '../upstreams/own-uris.ts'
import { wrapUpstream } from '../upstreams/wrap-upstream.ts'
import type { World } from '../surfaces/world.ts'
import type { ScriptsService } from '../builtins/scripts/scripts-service.ts'

/** The server of saved scripts, which offers the scripts that people have approved. */
export interface ScriptsUpstream {
  readonly upstream: Upstream
  /** Whether there is any script to call; a server without tools is not shown. */
  readonly isUsed: boolean
  offer(scripts: readonly ScriptVersion[]): Promise<void>
}

export function createScriptsUpstream(world: () => World): ScriptsUpstream {
  let offered: ReadonlyMap<string, ScriptVersion> = new Map()
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
  })
  const upstream = wrapUpstream(inner, () => ({
    makesCalls: true,
    async request(method, params, context) {
      const script = method === 'tools/call' ? offered.get(String(params['name'])) : undefined
      if (!script || !context.call) return inner.request(method, params, context)
      const { runSaved } = await import('../surfaces/scripts/run-saved.ts')
      const { signal, client } = context
      return runSaved(script, { ...context.call, params, signal, client }, world())
    },
  }))
  return {
    upstream: ownUris(upstream),
    get isUsed() {
      return offered.size > 0
    },
    async offer(scripts) {
      offered = new Map(scripts.map((script) => [script.name, script]))
      service?.offer(scripts)
      // It is listed when it is first opened, and again after every offer.
      if (offered.size > 0 || service) await inner.live()
    },
  }
}
