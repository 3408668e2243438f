import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { SCRIPTS_SERVER, type ScriptVersion } from '../../protocol/saved-scripts.ts'
import type { Service } from '../../protocol/service.ts'
import type { JsonObject } from '../../base/json/json.ts'
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
  const skillListeners = new Set<() => void>()
  let offered: readonly ScriptVersion[] = []
  const tools: Service = {
    info: { name: SCRIPTS_SERVER, version: VERSION },
    capabilities: { tools: { listChanged: true } },
    async handle(method) {
      if (method === 'tools/list') return { tools: offered.map(toDefinition) }
      throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
    },
    onNotification: (listener) => subscribe(listeners, listener),
    async close() {},
  }
  const service = serveSkills(tools, [
    {
      load: async () => offered.map(skillOf),
      onChange: (listener) => subscribe(skillListeners, listener),
    },
  ])
  return {
    ...service,
    offer(scripts) {
      offered = scripts
      for (const listener of skillListeners) listener()
      for (const listener of listeners) listener('notifications/tools/list_changed', {})
    },
  }
}

function subscribe<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
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
