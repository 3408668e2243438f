import type { Config } from '../config/load.ts'
import type { ServerConfig } from '../config/servers/servers.ts'
import type { Budgets } from '../gateway/layers/budgets.ts'
import type { CacheRule, CacheRules } from '../gateway/layers/cache.ts'
import type { Deadlines } from '../gateway/layers/deadlines.ts'
import { parseToolRef, toolKey } from '../gateway/tools/tool-ref.ts'
import type { Tool, Upstream } from '../gateway/upstream.ts'

/** Returns how long a call may take: by its tool, its server, or the settings for all. */
export function deadlinesOf({ servers, settings }: Config): Deadlines {
  const { tools, callMs, callerMaxMs } = settings.deadlines
  const ofTool = toolSettings(tools, servers.keys())
  const ofServer = new Map<string, number>()
  for (const [name, server] of servers)
    if (server.kind !== 'broken' && server.timeoutMs !== undefined)
      ofServer.set(name, server.timeoutMs)
  return {
    maxMs: callerMaxMs,
    ms: ({ upstream, tool }) =>
      ofTool(upstream.name, tool?.name ?? '') ?? ofServer.get(upstream.name) ?? callMs,
  }
}

/** What results of an API may take, which are rarely made for models. */
const OPENAPI_MAX_TOKENS = 2000

/** Returns how many tokens a result may take, apart from the limit of the agent's grant. */
export function budgetsOf({ servers, settings: { budgets } }: Config): Budgets {
  const ofTool = toolSettings(budgets.tools, servers.keys())
  return {
    maxTokens: ({ upstream, tool }) =>
      ofTool(upstream.name, tool?.name ?? '')?.maxTokens ??
      upstream.inProcess?.rules?.(tool?.name ?? '')?.maxTokens ??
      (upstream.kind === 'openapi' ? OPENAPI_MAX_TOKENS : budgets.maxTokens),
  }
}

/**
 * Decides which results are cached: of named tools, of read-only tools if the settings say so, and
 * of an API as its entry or its answers say.
 */
export function cacheRulesOf({ servers, settings: { cache } }: Config): CacheRules {
  const ofTool = toolSettings(cache.tools, servers.keys())
  const named = new Set(
    Object.keys(cache.tools).map((text) => parseToolRef(text, servers.keys())[0]?.server),
  )
  return {
    stores: ({ kind, name }) =>
      cache.enabled && (kind === 'openapi' || cache.readOnly || named.has(name)),
    rule({ upstream, tool }) {
      if (!cache.enabled || !tool) return undefined
      const own = ofTool(upstream.name, tool.name)
      const blanket = tool.readOnly && cache.readOnly && !keepsState(servers.get(upstream.name))
      const defaultMs = own || blanket ? (own?.ttlMs ?? cache.ttlMs) : undefined
      if (upstream.kind === 'openapi') return ruleOfApi(upstream, tool, { own, defaultMs })
      return defaultMs ? { defaultMs, shared: own?.shared === true } : undefined
    },
  }
}

type OwnRule = Config['settings']['cache']['tools'][string]

/** The settings of its tool and of its entry come before what the answers of an API say. */
function ruleOfApi(
  upstream: Upstream,
  { name, readOnly }: Tool,
  { own, defaultMs }: { readonly own: OwnRule | undefined; readonly defaultMs: number | undefined },
): CacheRule | undefined {
  if (!own && !readOnly) return undefined
  const ttlMs = own?.ttlMs ?? upstream.inProcess?.rules?.(name)?.cacheTtlMs
  const isNever = (ttlMs ?? defaultMs) === 0
  return isNever ? undefined : { ttlMs, defaultMs, shared: own?.shared === true }
}

/** Whether a server has state per client, so that results of one client may not suit another. */
function keepsState(server: ServerConfig | undefined): boolean {
  return server !== undefined && server.kind !== 'broken' && server.session.startsWith('per-')
}

/** Looks up the setting of a tool: under its own name, or under all tools of its server. */
export function toolSettings<Value>(
  settings: Readonly<Record<string, Value>>,
  servers: Iterable<string>,
): (server: string, tool: string) => Value | undefined {
  const known = [...servers]
  const values = new Map<string, Value>()
  for (const [text, value] of Object.entries(settings)) {
    const [ref] = parseToolRef(text, known)
    if (ref) values.set(toolKey(ref), value)
  }
  if (values.size === 0) return () => undefined
  return (server, name) =>
    values.get(toolKey({ server, name })) ?? values.get(toolKey({ server, name: '*' }))
}
