import type { JsonObject } from '../../base/json/json.ts'
import {
  type Matches,
  type PatternList,
  compilePattern,
  compilePatterns,
} from '../../base/text/glob.ts'
import { type Condition, compileCondition } from '../conditions/condition.ts'
import type { AccessRules, ToolEntry } from './policy.ts'

/** A rule with conditions that applies to a call, or of which that cannot be decided. */
interface ConditionMatch {
  readonly rule: string
  /** Why it cannot be decided. */
  readonly unsure?: string | undefined
}

/** One of `allow` and `deny`; its answers are rule paths, or undefined when no rule applies. */
export interface Side {
  server(server: string): string | undefined
  /** Only entries without conditions count. */
  tool(server: string, tool: string): string | undefined
  /** Only entries with conditions count; without arguments, the first that names the tool. */
  onArguments(
    server: string,
    tool: string,
    args: JsonObject | undefined,
  ): ConditionMatch | undefined
  /** Whether an entry with conditions names the tool. */
  depends(server: string, tool: string): boolean
  /** The path of the list that restricts the tools of a server, if there is one. */
  narrows(server: string): string | undefined
  /** Whether the server's own list is empty. */
  isEmpty(server: string): boolean
}

interface ToolList {
  /** Entries without conditions, and the place of each in the file. */
  readonly patterns: PatternList
  readonly places: readonly number[]
  readonly conditional: readonly ConditionalEntry[]
}

interface ConditionalEntry {
  readonly rule: string
  readonly matches: Matches
  readonly condition: Condition
}

export function compileSide(path: string, rules: AccessRules = {}): Side {
  const servers = rules.servers ?? []
  const tools = Object.entries(rules.tools ?? {})
  const lists = new Map(
    tools.map(([server, entries]) => [server, compileList(`${path}.tools.${server}`, entries)]),
  )
  const empty = new Set(
    tools.filter(([, entries]) => entries.length === 0).map(([server]) => server),
  )
  const hasConditions = [...lists.values()].some(({ conditional }) => conditional.length > 0)
  const conditionsOn = (server: string, tool: string) =>
    keysFor(server).flatMap((key) =>
      (lists.get(key)?.conditional ?? []).filter(({ matches }) => matches(tool)),
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
          const list = lists.get(key)
          const index = list?.patterns[how](tool) ?? -1
          if (index !== -1) return `${path}.tools.${key}[${list?.places[index]}]`
        }
      }
      return undefined
    },
    onArguments(server, tool, args) {
      const entries = conditionsOn(server, tool)
      const [first] = entries
      if (!args) return first && { rule: first.rule }
      let undecided: ConditionMatch | undefined
      for (const { rule, condition } of entries) {
        const answer = condition.test(args)
        if (answer === true) return { rule }
        if (answer !== false) undecided ??= { rule, unsure: answer }
      }
      return undecided
    },
    depends: (server, tool) => hasConditions && conditionsOn(server, tool).length > 0,
    narrows(server) {
      const key = keysFor(server).find((name) => lists.has(name))
      return key === undefined ? undefined : `${path}.tools.${key}`
    },
    isEmpty: (server) => server !== '*' && empty.has(server),
  }
}

function compileList(path: string, entries: readonly ToolEntry[]): ToolList {
  const plain = entries.flatMap((entry, place) => {
    if (typeof entry === 'string') return [{ place, pattern: entry }]
    return entry.when === undefined ? [{ place, pattern: entry.tool }] : []
  })
  return {
    patterns: compilePatterns(plain.map(({ pattern }) => pattern)),
    places: plain.map(({ place }) => place),
    conditional: entries.flatMap((entry, place) => {
      if (typeof entry === 'string' || entry.when === undefined) return []
      return [
        {
          rule: `${path}[${place}]`,
          matches: compilePattern(entry.tool),
          condition: compileCondition(entry.when),
        },
      ]
    }),
  }
}

/** The lists that apply to a server: its own, and the one for every server. */
function keysFor(server: string): readonly string[] {
  return server === '*' ? ['*'] : [server, '*']
}
