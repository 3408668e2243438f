import { didYouMean } from '../base/text/nearest.ts'
import type { Settings } from '../config/settings/settings.ts'
import { compileMatch } from '../gateway/agents/groups.ts'
import type { Principal } from '../gateway/agents/policy.ts'
import { rootOf } from '../gateway/agents/policy.ts'
import type { HandleLimits, Rules } from '../gateway/agents/rules.ts'
import type { Agent } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import { toLimits } from '../identity/to-limits.ts'

type Toolset = Settings['toolsets'][string]

export interface Toolsets {
  /** Returns what an agent sees and may do in a toolset: the one asked for, else its own default. */
  narrow(agent: Agent, asked: string | undefined): Agent
  of(agent: Pick<Principal, 'toolset'>): Toolset | undefined
  /** Returns why there is no toolset of this name; undefined if there is one. */
  problem(name: string): GatewayError | undefined
}

/** Compiles the toolsets of the settings. They narrow what rules allow, as the limits of a handle do. */
export function createToolsets(
  toolsets: Settings['toolsets'],
  rules: Pick<Rules, 'groups'> | undefined,
): Toolsets {
  const limits = new Map(
    Object.entries(toolsets).map(([name, set]) => [name, limitsOf(name, set)] as const),
  )
  const groups = new Map(
    Object.entries(rules?.groups ?? {}).map(([name, { match }]) => [name, compileMatch(match)]),
  )
  const isFor = (who: Principal) => (name: string) =>
    name === rootOf(who) ||
    name === who.person?.user ||
    who.person?.groups.includes(name) === true ||
    groups.get(name)?.(who) === true
  const defaults = Object.entries(toolsets).filter(([, { defaultFor }]) => defaultFor.length > 0)
  const defaultOf = (who: Principal) =>
    defaults.find(([, { defaultFor }]) => defaultFor.some(isFor(who)))?.[0]

  function problem(name: string): GatewayError | undefined {
    if (limits.has(name)) return undefined
    return new GatewayError('INVALID_PARAMS', `There is no toolset '${name}'`, {
      hint: didYouMean(name, limits.keys()) ?? '`portolan toolsets` lists them.',
      reason: 'unknown_toolset',
    })
  }

  return {
    problem,
    of: ({ toolset }) => (toolset === undefined ? undefined : toolsets[toolset]),
    narrow(agent, asked) {
      const toolset = asked ?? (defaults.length > 0 ? defaultOf(agent) : undefined)
      if (toolset === undefined) return agent
      const within = limits.get(toolset)
      if (!within) throw problem(toolset)
      return { ...agent, toolset, within: [within, ...(agent.within ?? [])] }
    },
  }
}

function limitsOf(name: string, { tools, budget }: Toolset): HandleLimits {
  return { ...toLimits({ tools }), rule: `toolsets.${name}`, maxTokens: budget }
}
