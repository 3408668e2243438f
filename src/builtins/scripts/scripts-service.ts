import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { SCRIPTS_SERVER, type SavedScript } from '../../protocol/saved-scripts.ts'
import type { Service } from '../../protocol/service.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { VERSION } from '../../base/version.ts'
import { serveSkills, type OwnSkill } from '../kit/serve-skills.ts'

export interface ScriptsService extends Service {
  /** Replaces the scripts that are offered, and notifies listeners. */
  offer(scripts: readonly SavedScript[]): void
}

/** Lists saved scripts as tools and skills. The gateway runs them, because it knows the caller. */
export function createScriptsService(): ScriptsService {
  const listeners = new Set<(method: string, params: JsonObject) => void>()
  const skillListeners = new Set<() => void>()
  let offered: readonly SavedScript[] = []
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

/** Gives no further hints, because the effect of a script depends on its input. */
function toDefinition({ name, description, inputSchema }: SavedScript): JsonObject {
  return {
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: false },
  }
}

/** Describes a saved script as a skill: its purpose, its call, and its source as an example. */
function skillOf({ name, description, inputSchema, source }: SavedScript): OwnSkill {
  const skill = name.replaceAll('_', '-')
  // The fence must be longer than any run of backticks in the source.
  const longest = Math.max(2, ...[...source.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  const call = `${SCRIPTS_SERVER}.${name}`
  return {
    name: skill,
    text: `---
name: ${skill}
description: ${JSON.stringify(description)}
---

# ${name}

${description}

Call the tool \`${name}\` of the server \`${SCRIPTS_SERVER}\`, or \`await tools.${call}(args)\` in a script. It runs with the rights of whoever calls it.

Its arguments, as a JSON Schema:

\`\`\`json
${JSON.stringify(inputSchema, undefined, 2)}
\`\`\`

Its source; \`input\` is the arguments:

${fence}ts
${source.trimEnd()}
${fence}
`,
  }
}
