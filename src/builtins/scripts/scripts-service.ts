import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { SCRIPTS_SERVER, type ScriptVersion } from '../../protocol/saved-scripts.ts'
import type { Service } from '../../protocol/service.ts'
import type { JsonObject } from '../../base/json.ts'
import { VERSION } from '../../base/version.ts'
import { serveSkills } from '../kit/serve-skills.ts'
import { skillOf } from './skill-of.ts'

export interface ScriptsService extends Service {
  /** Offers these scripts from now on, and notifies of it. */
  offer(scripts: readonly ScriptVersion[]): void
}

/** The server that lists saved scripts, as tools and as skills. The gateway runs them, since it knows who calls. */
export function createScriptsService(): ScriptsService {
  const listeners = new Set<(method: string, params: JsonObject) => void>()
  let current = serve([])
  return {
    ...current,
    capabilities: {
      ...current.capabilities,
      tools: { listChanged: true },
      resources: { listChanged: true },
    },
    handle: async (...args) => current.handle(...args),
    onNotification(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    offer(scripts) {
      current = serve(scripts)
      for (const listener of listeners)
        for (const kind of ['tools', 'resources'])
          listener(`notifications/${kind}/list_changed`, {})
    },
    close: async () => listeners.clear(),
  }
}

function serve(scripts: readonly ScriptVersion[]): Service {
  const tools = scripts.map(toDefinition)
  const service: Service = {
    info: { name: SCRIPTS_SERVER, version: VERSION },
    capabilities: {},
    async handle(method) {
      if (method === 'tools/list') return { tools }
      throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
    },
    async close() {},
  }
  return serveSkills(service, async () => scripts.map(skillOf))
}

/** What it does to the world depends on its input: no hint could promise anything. */
function toDefinition({ name, description, inputSchema }: ScriptVersion): JsonObject {
  return {
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: false },
  }
}
