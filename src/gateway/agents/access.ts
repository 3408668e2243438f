import type { JsonObject } from '../../base/json/json.ts'
import { type Effect, effectOf } from '../tools/effect.ts'
import type { AgentRules } from './rules.ts'
import {
  type Asking,
  type Decision,
  type Denial,
  type Grant,
  denial,
  withTerms,
} from './decision.ts'
import { compileSide } from './side.ts'

/**
 * Decides about servers and tools by one set of rules; every answer names the deciding rule. Without
 * arguments, conditions on them are left open.
 */
export interface Access {
  server(server: string): Decision
  tool(server: string, tool: string, args?: JsonObject): Decision
  /** The denial by an explicit deny rule; undefined if merely no rule allows. */
  denied(server: string, tool: string | undefined, args?: JsonObject): Denial | undefined
  /** The rule that asks a person before the call, or a denial if that cannot be decided. */
  asks(server: string, tool: string | undefined, args?: JsonObject): Asking | Denial | undefined
  /** Whether a rule about the tool has conditions on its arguments. */
  depends(server: string, tool: string): boolean
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
  const deny = compileSide(`${path}.deny`, rules.deny, { effectOn })
  const ask = rules.ask && compileSide(`${path}.ask`, rules.ask, { effectOn })

  const depends = (server: string, tool: string) =>
    deny.depends(server, tool) || allow.depends(server, tool) || ask?.depends(server, tool) === true

  const asks: Access['asks'] = (server, tool, args) => {
    if (!ask) return undefined
    const always = ask.server(server) ?? (tool === undefined ? tool : ask.tool(server, tool))
    const match = tool === undefined ? undefined : ask.onArguments(server, tool, args)
    if (match?.unsure !== undefined)
      return denial('arguments_not_allowed', match.rule, { agent, server, tool, ...match })
    const rule = always ?? match?.rule
    return rule === undefined
      ? undefined
      : { rule, source: ask.sourceOf(rule), always: always !== undefined }
  }

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

  function deniedTool(server: string, tool: string, args?: JsonObject): Denial | undefined {
    const asked = { agent, server, tool }
    const rule = deny.tool(server, tool)
    if (rule !== undefined) return denial('tool_not_allowed', rule, asked)
    const match = args && deny.onArguments(server, tool, args)
    return match && denial('arguments_not_allowed', match.rule, { ...asked, ...match })
  }

  function decideTool(
    server: string,
    tool: string,
    onServer: Decision,
    args?: JsonObject,
  ): Decision {
    if (onServer.effect === 'deny') return onServer
    const denied = deniedTool(server, tool, args)
    if (denied !== undefined) return denied
    const allowed = allow.isEmpty(server) ? undefined : allow.tool(server, tool)
    if (allowed !== undefined) return granted(allowed)
    const asked = { agent, server, tool }
    const narrowedBy = allow.narrows(server)
    if (narrowedBy === undefined) return onServer
    if (!allow.depends(server, tool))
      return denial('tool_not_allowed', `${narrowedBy} (no pattern matches "${tool}")`, asked)
    const match = allow.onArguments(server, tool, args)
    if (match && match.unsure === undefined) return granted(match.rule)
    const rule = match?.rule ?? `${narrowedBy} (no condition matches the arguments)`
    return denial('arguments_not_allowed', rule, { ...asked, ...match })
  }

  function finish(decision: Decision, server: string, tool: string, args?: JsonObject): Decision {
    return withTerms(decision, asks(server, tool, args), !args && depends(server, tool))
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
    denied(server, tool, args) {
      const rule = deny.server(server)
      if (rule !== undefined) return denial('server_not_allowed', rule, { agent, server })
      return tool === undefined ? undefined : deniedTool(server, tool, args)
    },
    depends,
    asks,
    server: (server) => withTerms(entry(server).decision, asks(server, undefined), false),
    tool(server, tool, args) {
      const found = entry(server)
      if (args) return finish(decideTool(server, tool, found.decision, args), server, tool, args)
      // Not cached: a server may list its tools again, with other effects.
      if (deny.hasEffects || ask?.hasEffects)
        return finish(decideTool(server, tool, found.decision), server, tool)
      const known = found.tools.get(tool)
      if (known !== undefined) return known
      const decision = finish(decideTool(server, tool, found.decision), server, tool)
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
  return unconditional(() => ({ effect: 'allow', grant }))
}

/** The access of an agent that the rules do not name. */
export function noAccess(agent: string): Access {
  return unconditional((server) =>
    denial('unknown_agent', `agents (no rules for agent "${agent}")`, { agent, server }),
  )
}

const none = () => undefined

function unconditional(decide: (server: string) => Decision): Access {
  return { server: decide, tool: decide, denied: none, asks: none, depends: () => false }
}
