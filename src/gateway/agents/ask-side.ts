import { canonicalJson, type JsonObject } from '../../base/json/json.ts'
import { type Matches, compilePattern } from '../../base/text/glob.ts'
import { type Condition, compileCondition } from '../conditions/condition.ts'
import type { Effect } from '../tools/effect.ts'
import type { AskRules } from './policy.ts'

/** A rule that asks a person before a call. */
export interface Asking {
  readonly rule: string
  /** The text of the rule: an approval is for the rule as it was. */
  readonly source: string
  /** Whether it asks whatever the arguments are. */
  readonly always: boolean
}

/** A rule of `ask` of which it cannot be decided whether it applies. */
export interface Undecided {
  readonly rule: string
  readonly unsure: string
}

export interface AskSide {
  /** Without arguments, the first rule that may ask. */
  find(server: string, tool: string | undefined, args?: JsonObject): Asking | Undecided | undefined
  depends(server: string, tool: string): boolean
  readonly hasEffects: boolean
}

interface Entry extends Asking {
  readonly matches: Matches
  readonly when: Condition | undefined
  readonly unless: readonly Condition[]
}

function whole(rule: string, source: string): Asking {
  return { rule, source, always: true }
}

/** Compiles `ask`; what it has no rule for is not asked. */
export function compileAsk(
  path: string,
  { servers = [], tools = {}, effects = [] }: AskRules,
  effectOn: (server: string, tool: string) => Effect,
): AskSide {
  const lists = new Map(
    Object.entries(tools).map(([server, entries]) => [
      server,
      entries.map((entry, at): Entry => {
        const { tool, when, unless = [] } = typeof entry === 'string' ? { tool: entry } : entry
        return {
          rule: `${path}.tools.${server}[${at}]`,
          source: canonicalJson(entry),
          always: when === undefined && unless.length === 0,
          matches: compilePattern(tool),
          when: when && compileCondition(when),
          unless: unless.map(compileCondition),
        }
      }),
    ]),
  )
  const entriesFor = (server: string, tool: string) =>
    [server, '*'].flatMap((key) => (lists.get(key) ?? []).filter(({ matches }) => matches(tool)))

  function always(server: string, tool: string | undefined): Asking | undefined {
    const at = servers.findIndex((name) => name === server || name === '*')
    if (at !== -1) return whole(`${path}.servers[${at}]`, servers[at] ?? '')
    const effect = tool === undefined ? undefined : effects.indexOf(effectOn(server, tool))
    if (effect === undefined || effect === -1) return undefined
    return whole(`${path}.effects[${effect}]`, effects[effect] ?? '')
  }

  return {
    hasEffects: effects.length > 0,
    depends: (server, tool) =>
      lists.size > 0 && entriesFor(server, tool).some((entry) => !entry.always),
    find(server, tool, args) {
      const entries = tool === undefined ? [] : entriesFor(server, tool)
      const sure = always(server, tool) ?? entries.find((entry) => entry.always)
      if (!args) return sure ?? entries[0]
      let asking: Asking | undefined = sure
      for (const entry of entries) {
        const answer = entry.when?.test(args) ?? true
        if (typeof answer === 'string') return { rule: entry.rule, unsure: answer }
        if (answer && !entry.unless.some((each) => each.test(args) === true)) asking ??= entry
      }
      return asking
    },
  }
}
