import { type PatternList, compilePatterns } from '../../base/text/glob.ts'
import { type Effect, effectOf } from '../tools/effect.ts'
import type { AccessRules, AgentRules, Decision, Denial, Grant } from './policy.ts'

/** Decides about servers and tools by one set of rules; every answer names the deciding rule. */
export interface Access {
  server(server: string): Decision
  tool(server: string, tool: string): Decision
  /** The denial by an explicit deny rule; undefined if merely no rule allows. */
  denied(server: string, tool: string | undefined): Denial | undefined
}

export interface AccessOptions {
  readonly agent: string
  /** The path of the rules, such as `agents.ada`, with which rule paths begin. */
  readonly path: string
  readonly rules: AgentRules
  readonly maxTokens?: number | undefined
  readonly effectOf?: ((server: string, tool: string) => Effect) | undefined
}

/** Answers are cached, so that a call costs two lookups; the cache is cleared when it is full. */
const REMEMBERED = 8192
/** Callers may name anything: longer names are not cached. */
const MAX_REMEMBERED_LENGTH = 500

interface ServerEntry {
  readonly decision: Decision
  readonly tools: Map<string, Decision>
}

export function compileAccess({
  agent,
  path,
  rules,
  maxTokens,
  effectOf: effectOn = byName,
}: AccessOptions): Access {
  const servers = new Map<string, ServerEntry>()
  let remembered = 0
  const allow = compileSide(`${path}.allow`, rules.allow)
  const deny = compileSide(`${path}.deny`, rules.deny)
  const deniedEffects = rules.deny?.effects

  const granted = (rule: string): Decision => {
    const grant: Grant = maxTokens === undefined ? { rule } : { rule, maxTokens }
    return { effect: 'allow', grant }
  }

  function decideServer(server: string): Decision {
    const refused = (rule: string) => denial('server_not_allowed', rule, { agent, server })
    const denied = deny.server(server)
    if (denied !== undefined) return refused(denied)
    const allowed = allow.server(server)
    if (allowed !== undefined) return granted(allowed)
    return refused(`${path} (no allow rule for server "${server}")`)
  }

  function deniedTool(server: string, tool: string): Denial | undefined {
    const effect = deniedEffects?.indexOf(effectOn(server, tool)) ?? -1
    const byEffect = effect === -1 ? undefined : `${path}.deny.effects[${effect}]`
    const rule = deny.tool(server, tool) ?? byEffect
    return rule === undefined
      ? undefined
      : denial('tool_not_allowed', rule, { agent, server, tool })
  }

  function decideTool(server: string, tool: string, onServer: Decision): Decision {
    if (onServer.effect === 'deny') return onServer
    const denied = deniedTool(server, tool)
    if (denied !== undefined) return denied
    const refused = (rule: string) => denial('tool_not_allowed', rule, { agent, server, tool })
    const allowed = allow.isEmpty(server) ? undefined : allow.tool(server, tool)
    if (allowed !== undefined) return granted(allowed)
    const narrowedBy = allow.narrows(server)
    if (narrowedBy === undefined) return onServer
    return refused(`${narrowedBy} (no pattern matches "${tool}")`)
  }

  function remember(): void {
    if (++remembered <= REMEMBERED) return
    servers.clear()
    remembered = 1
  }

  function entry(server: string): ServerEntry {
    const known = servers.get(server)
    if (known !== undefined) return known
    const fresh = { decision: decideServer(server), tools: new Map<string, Decision>() }
    if (server.length > MAX_REMEMBERED_LENGTH) return fresh
    remember()
    servers.set(server, fresh)
    return fresh
  }

  return {
    denied(server, tool) {
      const rule = deny.server(server)
      if (rule !== undefined) return denial('server_not_allowed', rule, { agent, server })
      return tool === undefined ? undefined : deniedTool(server, tool)
    },
    server: (server) => entry(server).decision,
    tool(server, tool) {
      const found = entry(server)
      // Not cached: a server may list its tools again, with other effects.
      if (deniedEffects) return decideTool(server, tool, found.decision)
      const known = found.tools.get(tool)
      if (known !== undefined) return known
      const decision = decideTool(server, tool, found.decision)
      if (tool.length > MAX_REMEMBERED_LENGTH) return decision
      remember()
      found.tools.set(tool, decision)
      return decision
    },
  }
}

const byName = (_server: string, name: string): Effect => effectOf({ name, definition: {} })

/** The access of everyone when there is no rules file. */
export function openAccess(maxTokens?: number): Access {
  const rule = 'no rules file'
  const grant: Grant = maxTokens === undefined ? { rule } : { rule, maxTokens }
  const decision: Decision = { effect: 'allow', grant }
  return { server: () => decision, tool: () => decision, denied: () => undefined }
}

/** The access of an agent that the rules do not name. */
export function noAccess(agent: string): Access {
  const refuse = (server: string) =>
    denial('unknown_agent', `agents (no rules for agent "${agent}")`, { agent, server })
  return { server: refuse, tool: refuse, denied: () => undefined }
}

interface Asked {
  readonly agent: string
  readonly server?: string | undefined
  readonly tool?: string | undefined
}

export function denial(
  reason: Denial['reason'],
  rule: string,
  { agent, server, tool }: Asked,
): Denial {
  return { effect: 'deny', rule, reason, message: describe(reason, { agent, server, tool }) }
}

function describe(reason: Denial['reason'], { agent, server, tool }: Asked): string {
  if (reason === 'tool_not_allowed')
    return `Agent '${agent}' not authorized to call tool '${tool}' on server '${server}'`
  if (server === undefined) return `Agent '${agent}' may not run scripts`
  return `Agent '${agent}' cannot access server '${server}'`
}

/** One of `allow` and `deny`; its answers are rule paths, or undefined when no rule applies. */
interface Side {
  server(server: string): string | undefined
  tool(server: string, tool: string): string | undefined
  /** The path of the list that restricts the tools of a server, if there is one. */
  narrows(server: string): string | undefined
  /** Whether the server's own list is empty. */
  isEmpty(server: string): boolean
}

function compileSide(path: string, rules: AccessRules = {}): Side {
  const servers = rules.servers ?? []
  const tools = Object.entries(rules.tools ?? {})
  const lists = new Map<string, PatternList>(
    tools.map(([server, patterns]) => [server, compilePatterns(patterns)]),
  )
  const empty = new Set(
    tools.filter(([, patterns]) => patterns.length === 0).map(([server]) => server),
  )

  return {
    server(server) {
      const named = servers.indexOf(server)
      const index = named === -1 ? servers.indexOf('*') : named
      return index === -1 ? undefined : `${path}.servers[${index}]`
    },
    tool(server, tool) {
      for (const how of ['exact', 'wildcard'] as const) {
        for (const key of keysFor(server)) {
          const index = lists.get(key)?.[how](tool) ?? -1
          if (index !== -1) return `${path}.tools.${key}[${index}]`
        }
      }
      return undefined
    },
    narrows(server) {
      const key = keysFor(server).find((name) => lists.has(name))
      return key === undefined ? undefined : `${path}.tools.${key}`
    },
    isEmpty: (server) => server !== '*' && empty.has(server),
  }
}

/** The lists that apply to a server: its own, and the one for every server. */
function keysFor(server: string): readonly string[] {
  return server === '*' ? ['*'] : [server, '*']
}
