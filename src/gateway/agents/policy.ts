import type { JsonObject } from '../../base/json/json.ts'
import { foldCase } from '../../base/text/fold-case.ts'
import type { Effect } from '../tools/effect.ts'
import { type Access, compileAccess, noAccess, openAccess } from './access.ts'
import { type Decision, denial, withTerms } from './decision.ts'
import { createGroups } from './groups.ts'
import type { Person } from './person.ts'
import type { AgentRules, Denials, HandleLimits, Rules } from './rules.ts'

/** A caller: an agent, or a sub-agent with a handle minted by another. */
export interface Principal {
  readonly id: string
  /** The agents that it inherits its rights from, nearest first; it may only do what all may. */
  readonly ancestors?: readonly string[] | undefined
  /** The limits of its handle and its toolset; all of them apply. */
  readonly within?: readonly HandleLimits[] | undefined
  /** The toolset in which it works. */
  readonly toolset?: string | undefined
  /** The signed-in person that the agent or its sub-agent acts for. */
  readonly person?: Person | undefined
  /** The effects that its token allows; all of them when absent. */
  readonly effects?: readonly Effect[] | undefined
  /** The OAuth client that its token was issued to. */
  readonly client?: string | undefined
}

/** Returns a unique name: two parents may each have a sub-agent of the same name. */
export function lineageOf({ id, ancestors }: Principal): string {
  return ancestors === undefined ? id : [id, ...ancestors].join('<')
}

/** Returns the agent whose rights a principal has: itself, unless it holds a handle. */
export function rootOf({ id, ancestors }: Principal): string {
  return ancestors?.at(-1) ?? id
}

/** Pure, so that one rule decides both what an agent sees listed and what it may call. */
export interface Policy {
  server(agent: Principal, server: string): Decision
  /**
   * Without arguments, whether some call of the tool may be allowed: conditions are left open, and
   * the grant says so. The arguments must have the form in which they will be sent.
   */
  tool(agent: Principal, server: string, tool: string, args?: JsonObject): Decision
  /** Whether it may run scripts at all; each call of a script is decided separately. */
  scripts(agent: Principal): Decision
  knows(agent: string): boolean
}

const HANDLE = 'handle'

/** Whether a rule is a limit of a handle, and stands in no file. */
export function isHandleRule(rule: string): boolean {
  return rule.startsWith(HANDLE)
}

export interface PolicyOptions {
  /** The most tokens of a result, by agent. */
  readonly budgets?: Readonly<Record<string, number>> | undefined
  /** The effect of a tool; by its name alone when absent. */
  readonly effectOf?: (server: string, tool: string) => Effect
  /** Rules whose `deny` holds whatever the others allow; their `allow` is ignored. */
  readonly denials?: Denials | readonly Denials[] | undefined
  /** Further rules that must allow a call as well. */
  readonly also?: Rules | undefined
  /** Scripts: false for nobody, true for all if there are no rules; otherwise the rules decide. */
  readonly scripts?: boolean | 'auto' | undefined
}

/**
 * Without rules everything is allowed; with rules, an agent they do not name may do nothing.
 *
 * @example
 * ```ts
 * const agents = { ada: { allow: { servers: ['crm'] } } }
 * const policy = createPolicy({ agents, denyOnMissingAgent: true })
 * policy.tool({ id: 'ada' }, 'crm', 'list').effect // 'allow'
 * policy.tool({ id: 'bob' }, 'crm', 'list').effect // 'deny'
 * ```
 */
export function createPolicy(rules: Rules | undefined, options: PolicyOptions = {}): Policy {
  const policy = compilePolicy(rules, options)
  return options.also === undefined ? policy : both(policy, compilePolicy(options.also, options))
}

function compilePolicy(rules: Rules | undefined, options: PolicyOptions): Policy {
  const budgets = Object.entries(options.budgets ?? {})
  const maxTokens = new Map(budgets)
  const { effectOf } = options
  const agents = new Map(
    rules === undefined
      ? budgets.map(([id, tokens]) => [id, openAccess(tokens)])
      : Object.entries(rules.agents).map(([id, own]) => {
          const path = `agents.${id}`
          return [
            id,
            compileAccess({ agent: id, path, rules: own, maxTokens: maxTokens.get(id), effectOf }),
          ]
        }),
  )
  const everyoneElse = rules === undefined ? openAccess() : undefined
  const groups = createGroups(rules?.groups ?? {}, effectOf)
  const denials = [options.denials ?? []].flat().map((each) => compileDenials(each, effectOf))
  const handles = new WeakMap<HandleLimits, Access>()

  const idInRules = compileIds(agents.keys())

  const permitted = (who: Principal): Access => {
    const own = agents.get(idInRules(who)) ?? everyoneElse
    return groups?.accessOf(who, own, maxTokens.get(who.id)) ?? own ?? noAccess(who.id)
  }

  /** Decides by the rules of somebody, within the denials of other files. */
  function decideBy(who: Principal, server: string, tool?: string, args?: JsonObject): Decision {
    const decide = (access: Access) => ask(access, server, tool, args)
    return denials
      .flatMap((of) => of(who) ?? [])
      .reduce<() => Decision>(
        (inner, narrower) => () => bothAllow(decide(narrower), inner),
        () => decide(permitted(who)),
      )()
  }

  function handleAccess(id: string, within: HandleLimits): Access {
    const known = handles.get(within)
    if (known !== undefined) return known
    // If only tools are given, their servers are the only ones allowed.
    const { tools, servers = tools ? Object.keys(tools) : ['*'] } = within
    const { rule: path = HANDLE, maxTokens: tokens } = within
    const allow = { servers, tools }
    const access = compileAccess({ agent: id, path, rules: { allow }, maxTokens: tokens })
    handles.set(within, access)
    return access
  }

  /** A sub-agent need not be in the rules itself: its rights are those of its ancestors. */
  function decideFor(agent: Principal, server: string, tool?: string, args?: JsonObject): Decision {
    const { id, ancestors, within } = agent
    if (ancestors === undefined && within === undefined) return decideBy(agent, server, tool, args)
    const own = agents.has(id) || !ancestors?.length ? [id] : []
    const decisions = [
      ...[...own, ...(ancestors ?? [])].map((each) =>
        decideBy(asRoot(agent, each), server, tool, args),
      ),
      ...(within ?? []).map((part) => ask(handleAccess(id, part), server, tool, args)),
    ]
    const refused = decisions.find((decision) => decision.effect === 'deny')
    if (refused !== undefined)
      return denial(refused.reason, refused.rule, { ...refused, agent: id, server, tool })
    return tightest(decisions)
  }

  /** A sub-agent needs the right of every ancestor, and of its own rules where it has any. */
  function decideScripts(principal: Principal): Decision {
    const { id, ancestors = [] } = principal
    const { scripts = 'auto' } = options
    if (scripts === false) return denial('scripts_not_allowed', 'scripts.enabled', { agent: id })
    const own = agents.has(id) || ancestors.length === 0 ? [id] : []
    const decisions = [...own, ...ancestors].map((agent) =>
      limited(
        rules === undefined
          ? scriptsWithoutRules(agent, scripts)
          : (groups?.scripts(asRoot(principal, agent)) ??
              scriptsOf(agent, rules.agents[idInRules(asRoot(principal, agent))])),
        maxTokens.get(agent),
      ),
    )
    return decisions.find(({ effect }) => effect === 'deny') ?? tightest(decisions)
  }

  return {
    server: decideFor,
    tool: decideFor,
    scripts: decideScripts,
    knows: (agent) =>
      rules === undefined || agents.has(agent) || groups?.has({ id: agent }) === true,
  }
}

/** Returns the id by which the rules name somebody; the case of a person's name does not count. */
function compileIds(ids: Iterable<string>): (who: Principal) => string {
  const known = new Set(ids)
  const byFolded = new Map([...known].map((id) => [foldCase(id), id]))
  return ({ id, person }) =>
    person === undefined || known.has(id) ? id : (byFolded.get(foldCase(id)) ?? id)
}

/** Returns the denials that apply to somebody, as access to everything else. */
function compileDenials(
  { agents, groups = {} }: Denials,
  effectOf: PolicyOptions['effectOf'],
): (who: Principal) => Access | undefined {
  const allow = { servers: ['*'] }
  const ofAgents = new Map(
    Object.entries(agents).map(([id, { ask: asks, deny }]) => {
      const rules = { allow, ask: asks, deny }
      return [id, compileAccess({ agent: id, path: `agents.${id}`, rules, effectOf })]
    }),
  )
  const ofGroups = createGroups(
    Object.fromEntries(
      Object.entries(groups).map(([name, { match, ask: asks, deny }]) => [
        name,
        { match, allow, ask: asks, deny },
      ]),
    ),
    effectOf,
  )
  const idInRules = compileIds(ofAgents.keys())
  return (who) => {
    const own = ofAgents.get(idInRules(who))
    return ofGroups?.accessOf(who, own, undefined) ?? own
  }
}

function limited(decision: Decision, maxTokens: number | undefined): Decision {
  if (decision.effect === 'deny' || maxTokens === undefined) return decision
  return { effect: 'allow', grant: { ...decision.grant, maxTokens } }
}

/** Returns an agent of the lineage as a principal; the person belongs to its root. */
function asRoot(agent: Principal, id: string): Principal {
  const { person, client } = agent
  return id === rootOf(agent) ? { id, person, client } : { id }
}

function scriptsOf(agent: string, own: AgentRules | undefined): Decision {
  if (own?.allow?.scripts === true)
    return { effect: 'allow', grant: { rule: `agents.${agent}.allow.scripts` } }
  const rule = own ? `agents.${agent} (no allow.scripts)` : `agents (no rules for agent "${agent}")`
  return denial(own ? 'scripts_not_allowed' : 'unknown_agent', rule, { agent })
}

function scriptsWithoutRules(agent: string, scripts: true | 'auto'): Decision {
  if (scripts === true) return { effect: 'allow', grant: { rule: 'no rules file' } }
  const rule = 'no rules file (scripts.enabled is "auto")'
  return denial('scripts_not_allowed', rule, { agent })
}

/** Allows what both policies allow; the grant is that of the first. */
function both(policy: Policy, also: Policy): Policy {
  return {
    server: (...asked) => bothAllow(also.server(...asked), () => policy.server(...asked)),
    tool: (...asked) => bothAllow(also.tool(...asked), () => policy.tool(...asked)),
    scripts: (agent) => bothAllow(also.scripts(agent), () => policy.scripts(agent)),
    knows: (agent) => policy.knows(agent) && also.knows(agent),
  }
}

function bothAllow(also: Decision, decide: () => Decision): Decision {
  return also.effect === 'deny' ? also : withTermsOf(decide(), [also])
}

/** Returns a decision with the terms of others as well. */
function withTermsOf(decision: Decision, others: readonly Decision[]): Decision {
  const grants = [decision, ...others].flatMap((one) => (one.effect === 'allow' ? one.grant : []))
  const asking = grants.find((grant) => grant.ask)?.ask
  return withTerms(
    decision,
    asking,
    grants.some((grant) => grant.depends),
  )
}

function ask(
  access: Access,
  server: string,
  tool: string | undefined,
  args: JsonObject | undefined,
): Decision {
  return tool === undefined ? access.server(server) : access.tool(server, tool, args)
}

/** Returns the grant with the fewest tokens, and the terms of all. */
function tightest(decisions: readonly Decision[]): Decision {
  const least = decisions.reduce((one, other) => (tokensOf(other) < tokensOf(one) ? other : one))
  return withTermsOf(least, decisions)
}

function tokensOf(decision: Decision): number {
  return decision.effect === 'allow' ? (decision.grant.maxTokens ?? Infinity) : Infinity
}
