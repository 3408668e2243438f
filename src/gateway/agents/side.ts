import { canonicalJson, type JsonObject } from '../../base/json/json.ts'
import {
  type Matches,
  type PatternList,
  compilePattern,
  compilePatterns,
} from '../../base/text/glob.ts'
import { type Condition, compileCondition } from '../conditions/condition.ts'
import type { Effect } from '../tools/effect.ts'
import { type AccessRules, type AskEntry, type AskRules, isToolException } from './rules.ts'

/** A rule with conditions that applies to a call, or of which that cannot be decided. */
interface ConditionMatch {
  readonly rule: string
  /** Why it cannot be decided. */
  readonly unsure?: string | undefined
}

/** One of `allow`, `ask` and `deny`; its answers are rule paths, or undefined when no rule applies. */
export interface Side {
  server(server: string): string | undefined
  /** Only entries without conditions and effects count. */
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
  readonly hasEffects: boolean
  /** The text of a rule of this side. */
  sourceOf(rule: string): string
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
  readonly test: EntryTest
}

/** Whether an entry applies to a call; a text says why that cannot be decided. */
type EntryTest = (args: JsonObject, server: string, tool: string) => ReturnType<Condition['test']>

/**
 * Compiles one side of the rules. On a side that `narrows`, an entry that cannot be decided counts
 * before those that match.
 */
export function compileSide(
  path: string,
  rules: AccessRules | AskRules = {},
  narrows?: { readonly effectOn: (server: string, tool: string) => Effect },
): Side {
  const servers = rules.servers ?? []
  const effects = ('effects' in rules && rules.effects) || []
  const tools: [string, readonly (string | AskEntry)[]][] = Object.entries(rules.tools ?? {})
  const sources = new Map<string, unknown>(
    tools.flatMap(([server, entries]) =>
      entries.map((entry, at) => [`${path}.tools.${server}[${at}]`, entry]),
    ),
  )
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
      const effect =
        narrows && effects.length > 0 ? effects.indexOf(narrows.effectOn(server, tool)) : -1
      return effect === -1 ? undefined : `${path}.effects[${effect}]`
    },
    onArguments(server, tool, args) {
      const entries = conditionsOn(server, tool)
      const [first] = entries
      if (!args) return first && { rule: first.rule }
      const answers = entries.map(({ rule, test }) => ({ rule, is: test(args, server, tool) }))
      const match = answers.find(({ is }) => is === true)
      const doubt = answers.find(({ is }) => typeof is === 'string')
      const undecided = doubt && { rule: doubt.rule, unsure: String(doubt.is) }
      return narrows ? (undecided ?? match) : (match ?? undecided)
    },
    depends: (server, tool) => hasConditions && conditionsOn(server, tool).length > 0,
    narrows(server) {
      const key = keysFor(server).find((name) => lists.has(name))
      return key === undefined ? undefined : `${path}.tools.${key}`
    },
    isEmpty: (server) => server !== '*' && empty.has(server),
    hasEffects: effects.length > 0,
    sourceOf: (rule) => canonicalJson(sources.get(rule) ?? rule),
  }
}

function compileList(path: string, entries: readonly (string | AskEntry)[]): ToolList {
  const all = entries.map((entry, place) => {
    const { tool, ...terms }: AskEntry = typeof entry === 'string' ? { tool: entry } : entry
    return { tool, place, test: toTest(terms) }
  })
  const plain = all.filter(({ test }) => !test)
  return {
    patterns: compilePatterns(plain.map(({ tool }) => tool)),
    places: plain.map(({ place }) => place),
    conditional: all.flatMap(({ tool, place, test }) =>
      test ? [{ rule: `${path}[${place}]`, matches: compilePattern(tool), test }] : [],
    ),
  }
}

/** Compiles the terms of an entry; undefined if it has none. */
function toTest({ when, unless = [] }: Omit<AskEntry, 'tool'>): EntryTest | undefined {
  const applies = when && compileCondition(when)
  if (unless.length === 0) return applies && ((args) => applies.test(args))
  const exceptions = unless.map((entry) => {
    if (!isToolException(entry)) return { ...compileCondition(entry), isAbout: () => true }
    const isAbout = (server: string, tool: string) =>
      tool === entry.tool && (entry.server ?? server) === server
    return { ...compileCondition(entry.when), isAbout }
  })
  return (args, server, tool) => {
    const answer = applies?.test(args) ?? true
    if (answer !== true) return answer
    return !exceptions.some((each) => each.isAbout(server, tool) && each.test(args) === true)
  }
}

/** The lists that apply to a server: its own, and the one for every server. */
function keysFor(server: string): readonly string[] {
  return server === '*' ? ['*'] : [server, '*']
}
